import type { Command } from "commander";
import { exitCode } from "../../outcome.js";
import { driftTargets } from "../../reconcile.js";
import { readersFor } from "../../targets.js";
import { withFormat, withLedger, withTargets } from "../options.js";
import type { Register } from "../register.js";
import { type ReportFlags, reporting, withReports } from "../reports.js";
import { openSession, type PassFlags, passOptions } from "../session.js";

type Flags = PassFlags & ReportFlags;

export const drift: Register = (program, context, finish) => {
  const command = program.command("drift").description("report what left the desired state, and who did it; cannot write");
  withLedger(withReports(withFormat(withTargets(command)))).action(async (_own: unknown, invoked: Command) => {
    const flags = invoked.optsWithGlobals<Flags>();
    const session = openSession(flags, context);
    const outcomes = await reporting("drift", flags, context, session, () =>
      driftTargets(passOptions(flags, context, session), readersFor(session.logger)),
    );
    finish(exitCode(outcomes));
  });
};
