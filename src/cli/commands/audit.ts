import { auditPairs, auditTargets } from "../../audit/audit.js";
import { loadConfiguration } from "../../desired/load.js";
import { exitCode } from "../../outcome/outcome.js";
import { kinds } from "../../targets/registry.js";
import { allowedCommands } from "../allowed-commands.js";
import type { Context } from "../context.js";
import { networksReadersFor } from "../open-targets.js";
import { findConfiguration } from "../options.js";
import { type ReportFlags, reporting } from "../reports.js";
import { openSession } from "../terminal.js";

interface Flags extends ReportFlags {
  readonly target: readonly string[];
}

/** Compares the networks in the network service and in the controller. Returns the exit code. */
export async function audit(flags: Flags, context: Context): Promise<number> {
  const session = openSession(flags, context);
  const outcomes = await reporting("audit", flags, context, session, async () => {
    const configuration = await loadConfiguration(findConfiguration(flags, context), {
      environment: context.environment,
      kinds,
      resolveSecrets: true,
      mayRun: allowedCommands(flags, context),
    });
    return await auditTargets(auditPairs(configuration, kinds, flags.target), networksReadersFor(session.logger));
  });
  return exitCode(outcomes);
}
