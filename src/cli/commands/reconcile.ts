import { resolve } from "node:path";
import type { WriteOptions } from "../../engine/pass/options.js";
import { reconcileTargets } from "../../engine/reconcile.js";
import { exitCode } from "../../outcome/outcome.js";
import { confirmPlan, refuseWithoutTerminal } from "../confirmation.js";
import type { Context } from "../context.js";
import { writersFor } from "../open-targets.js";
import type { FormatOption, WriteFlags } from "../options.js";
import { readPlanFile } from "../plan-file.js";
import { printReport } from "../reports.js";
import { openSession, type PassFlags, passOptions, writeOptions } from "../terminal.js";

type Flags = PassFlags & WriteFlags & FormatOption;

/** Applies the desired state. Without `--yes`, the user must confirm the plan on a terminal. Returns the exit code. */
export async function reconcile(
  flags: Flags & { readonly yes: boolean },
  context: Context,
  more: Pick<WriteOptions, "isWayBack"> = {},
): Promise<number> {
  const write = { ...writeOptions(flags, context), ...more };
  if (flags.yes) return await run("reconcile", flags, context, write);
  refuseWithoutTerminal("reconcile", flags, context);
  const session = openSession(flags, context);
  const confirmation = await confirmPlan(passOptions(flags, context, session), context, session);
  if ("code" in confirmation) return confirmation.code;
  return await run("reconcile", flags, context, { ...write, ...confirmation });
}

/** Applies a plan file: only plans with its digests are carried out. Returns the exit code. */
export async function apply(flags: Flags, context: Context, file: string): Promise<number> {
  const { path, ...planned } = await readPlanFile(resolve(context.folder, file));
  const limited = path === undefined ? flags : { ...flags, path };
  return await run("apply", { ...limited, target: [...(planned.digests?.keys() ?? [])] }, context, {
    ...writeOptions(flags, context),
    ...planned,
  });
}

async function run(command: "reconcile" | "apply", flags: Flags, context: Context, write: WriteOptions): Promise<number> {
  const session = openSession(flags, context);
  const outcomes = await reconcileTargets(passOptions(flags, context, session), write, writersFor(session.logger));
  session.progress.end();
  await printReport(command, flags, context, session, outcomes);
  return exitCode(outcomes);
}
