import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Command } from "commander";
import { planTargets } from "../../engine/reconcile.js";
import { exitCode } from "../../outcome/outcome.js";
import { readersFor } from "../../targets/registry.js";
import { withAllowances, withFormat, withTargets } from "../options.js";
import { writePlanFile } from "../plan-file.js";
import type { Register } from "../register.js";
import { type ReportFlags, reporting, withReports } from "../reports.js";
import { openSession, type PassFlags, passOptions } from "../session.js";

interface Flags extends PassFlags, ReportFlags {
  readonly out?: string;
}

export const plan: Register = (program, context, finish) => {
  const command: Command = program.command("plan").description("show what reconcile would do; cannot write");
  withAllowances(withReports(withFormat(withTargets(command))))
    .option("--out <file>", "also write plan.json for `plumbline apply`")
    .action(async (_own: unknown, invoked: Command) => {
      const flags = invoked.optsWithGlobals<Flags>();
      const session = openSession(flags, context);
      const outcomes = await reporting("plan", flags, context, session, () =>
        planTargets(passOptions(flags, context, session), readersFor(session.logger)),
      );
      if (flags.out !== undefined) await writeFile(resolve(context.folder, flags.out), writePlanFile(outcomes), { mode: 0o600 });
      finish(exitCode(outcomes));
    });
};
