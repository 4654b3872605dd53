import { resolve } from "node:path";
import type { Command } from "commander";
import type { WriteOptions as PassWriteOptions } from "../../engine/pass/options.js";
import { reconcileTargets } from "../../engine/reconcile.js";
import { exitCode } from "../../outcome/outcome.js";
import { renderers } from "../../report/renderers.js";
import { writersFor } from "../../targets/registry.js";
import type { Context } from "../context.js";
import { type FormatOption, type WriteOptions, withFormat, withTargets, withWrites } from "../options.js";
import { readPlanFile } from "../plan-file.js";
import type { Register } from "../register.js";
import { openSession, type PassFlags, passOptions, writeOptions } from "../session.js";

type Flags = PassFlags & WriteOptions & FormatOption;

export const reconcile: Register = (program, context, finish) => {
  withWrites(withFormat(withTargets(program.command("reconcile").description("make live equal to desired, commit once, prove it")))).action(
    async (_own: unknown, invoked: Command) => {
      const flags = invoked.optsWithGlobals<Flags>();
      finish(await run("reconcile", flags, context, writeOptions(flags)));
    },
  );
};

export const apply: Register = (program, context, finish) => {
  withWrites(
    withFormat(program.command("apply").description("reconcile, bound to the digests of a plan file").argument("<plan.json>")),
  ).action(async (file: string, _own: unknown, invoked: Command) => {
    const flags = invoked.optsWithGlobals<Flags>();
    const digests = await readPlanFile(resolve(context.folder, file));
    finish(await run("apply", { ...flags, target: [...digests.keys()] }, context, { ...writeOptions(flags), digests }));
  });
};

async function run(command: "reconcile" | "apply", flags: Flags, context: Context, write: PassWriteOptions): Promise<number> {
  const session = openSession(flags, context);
  const outcomes = await reconcileTargets(passOptions(flags, context, session), write, writersFor(session.logger));
  session.progress.end();
  context.stdout.write(renderers[flags.format](command, outcomes, session.paint));
  return exitCode(outcomes);
}
