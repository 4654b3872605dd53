import type { Command } from "commander";
import { auditPairs, auditTargets } from "../../audit/audit.js";
import { loadConfiguration } from "../../desired/load.js";
import { exitCode } from "../../outcome/outcome.js";
import { kinds, networksReadersFor } from "../../targets/registry.js";
import { allowedCommands } from "../allowed-commands.js";
import { findConfiguration, withFormat } from "../options.js";
import type { Register } from "../register.js";
import { type ReportFlags, reporting, withReports } from "../reports.js";
import { openSession } from "../session.js";

interface Flags extends ReportFlags {
  readonly target: readonly string[];
}

export const audit: Register = (program, context, finish) => {
  const command = program.command("audit").description("hold the network service's networks against the controller's; cannot write");
  withReports(withFormat(command))
    .option(
      "--target <name>",
      "only this controller or cloud (repeatable)",
      (name: string, names: readonly string[]) => [...names, name],
      [],
    )
    .action(async (_own: unknown, invoked: Command) => {
      const flags = invoked.optsWithGlobals<Flags>();
      const session = openSession(flags, context);
      const outcomes = await reporting("audit", flags, context, session, async () => {
        const configuration = await loadConfiguration(findConfiguration(flags, context), {
          environment: context.environment,
          kinds,
          resolveSecrets: true,
          mayRun: allowedCommands(flags, context),
        });
        return await auditTargets(auditPairs(configuration, flags.target), networksReadersFor(session.logger));
      });
      finish(exitCode(outcomes));
    });
};
