import type { Command } from "commander";
import { exitCode } from "../../outcome.js";
import { driftTargets } from "../../reconcile.js";
import { renderers } from "../../report.js";
import { readersFor } from "../../targets.js";
import { type FormatOption, withFormat, withLedger, withTargets } from "../options.js";
import type { Register } from "../register.js";
import { openSession, type PassFlags, passOptions } from "../session.js";

export const drift: Register = (program, context, finish) => {
  withLedger(
    withFormat(withTargets(program.command("drift").description("report what left the desired state, and who did it; cannot write"))),
  ).action(async (_own: unknown, invoked: Command) => {
    const flags = invoked.optsWithGlobals<PassFlags & FormatOption>();
    const session = openSession(flags, context);
    const outcomes = await driftTargets(passOptions(flags, context, session), readersFor(session.logger));
    session.progress.end();
    context.stdout.write(renderers[flags.format]("drift", outcomes, session.paint));
    finish(exitCode(outcomes));
  });
};
