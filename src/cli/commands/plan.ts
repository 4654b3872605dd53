import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { PlumblineError } from "../../core/errors.js";
import { planTargets } from "../../engine/reconcile.js";
import { exitCode } from "../../outcome/outcome.js";
import type { KeptTrafficOf } from "../../reachability/traffic/kept-traffic.js";
import type { Context } from "../context.js";
import { parseSince } from "../logs/since.js";
import { readersFor } from "../open-targets.js";
import type { GlobalOptions } from "../options.js";
import { writePlanFile } from "../plan-file.js";
import { type ReportFlags, reporting } from "../reports.js";
import { openSession, type PassFlags, passOptions, withAnalysis } from "../terminal.js";
import { wholePath } from "../whole-path.js";

interface Flags extends PassFlags, ReportFlags {
  readonly out?: string;
  readonly replay?: string;
  readonly replayRecords: number;
  readonly replayFrom?: "device" | "store";
}

/** Prints the changes that reconcile would make. Returns the exit code. */
export async function plan(flags: Flags, context: Context): Promise<number> {
  const replay = flags.replay === undefined ? undefined : { since: parseSince(flags.replay, "--replay"), ...replayWords(flags, context) };
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

function replayWords(flags: Flags, context: Context) {
  return { most: flags.replayRecords, from: flags.replayFrom, kept: keptTraffic(flags, context) };
}

/** Returns the traffic that agents have stored in the store of `store:`. Undefined if no store exists. */
function keptTraffic(flags: GlobalOptions, context: Context): KeptTrafficOf {
  return async (target) => {
    const [{ findStore }, { openStore }] = await Promise.all([import("../store.js"), import("../../agent/store/open.js")]);
    try {
      const store = await openStore(await findStore(flags, context), { readOnly: true });
      try {
        return await store.traffic.of(target);
      } finally {
        await store.close();
      }
    } catch (error) {
      if (error instanceof PlumblineError && error.code === "store-missing") return undefined;
      throw error;
    }
  };
}
