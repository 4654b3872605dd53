import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { planTargets } from "../../engine/reconcile.js";
import { exitCode } from "../../outcome/outcome.js";
import type { Context } from "../context.js";
import { readersFor } from "../open-targets.js";
import { writePlanFile } from "../plan-file.js";
import { type ReplayFlags, replayRequest } from "../replay.js";
import { type ReportFlags, reporting } from "../reports.js";
import { openSession, type PassFlags, passOptions, withAnalysis } from "../terminal.js";
import { wholePath } from "../whole-path.js";

interface Flags extends PassFlags, ReportFlags, ReplayFlags {
  readonly out?: string;
}

/** Prints the changes that reconcile would make. Returns the exit code. */
export async function plan(flags: Flags, context: Context): Promise<number> {
  const replay = replayRequest(flags, context);
  const session = openSession(flags, context);
  const outcomes = await reporting("plan", flags, context, session, () =>
    planTargets(withAnalysis(passOptions(flags, context, session), { replay }), readersFor(session.logger)),
  );
  if (flags.out !== undefined) {
    const path = flags.path === undefined ? undefined : wholePath(flags.path);
    await writeFile(resolve(context.folder, flags.out), writePlanFile(outcomes, path), { mode: 0o600 });
  }
  return exitCode(outcomes);
}
