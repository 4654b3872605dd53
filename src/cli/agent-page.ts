import { basename, join } from "node:path";
import type { Logger } from "pino";
import { type AccessProcessOptions, answerInProcess } from "../agent/access-process.js";
import { systemClock } from "../agent/clock.js";
import type { OpenAgent } from "../agent/open.js";
import { openWeb, type Web } from "../agent/page/open.js";
import type { Store } from "../agent/store/store.js";
import { auditPairs, auditTargets, canAudit } from "../audit/audit.js";
import type { CommandPolicy } from "../desired/commands.js";
import { loadConfiguration } from "../desired/load.js";
import { kinds } from "../targets/registry.js";
import { peopleOf } from "./agent-people.js";
import { networksReadersFor } from "./open-targets.js";

export interface AgentPageOptions {
  readonly access: Omit<AccessProcessOptions, "environment">;
  readonly store: Store;
  readonly logger: Logger;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly mayRun: CommandPolicy;
}

/**
 * Opens the page of an agent and sends it the agent's events.
 * @throws PlumblineError `page-token-short`, `page-people-invalid`, `page-not-built`, `secret-unavailable`
 */
export async function openAgentPage(opened: OpenAgent, { access, store, logger, environment, mayRun }: AgentPageOptions): Promise<Web> {
  const { controls, events, source } = opened;
  const known = await peopleOf(opened);
  const web = openWeb({
    store,
    controls: {
      ...controls,
      source,
      hasDesigns: (kind) => kinds.get(kind)?.designer !== undefined,
      answerAccess: async (question) => {
        const { folder, login } = controls.repository();
        const commit = controls.commit() ?? "";
        const file = join(controls.folder(), basename(controls.configurationFile()));
        const options = { ...access, environment: { ...environment, ...login } };
        return await answerInProcess(question, { repository: folder, file, commit }, options);
      },
      hasAudit: () => {
        return canAudit(new Set([...controls.targets().values()].map(({ kind }) => kind)), kinds);
      },
      audit: async () => {
        const configuration = await loadConfiguration(controls.configurationFile(), { environment, kinds, resolveSecrets: true, mayRun });
        return await auditTargets(auditPairs(configuration, kinds, []), networksReadersFor(logger));
      },
    },
    ...known,
    now: () => systemClock.now(),
    monotonic: () => systemClock.monotonic(),
    emit: (happening) => events.emit(happening),
    onFault: (error) => logger.error({ err: error }, "the page"),
  });
  events.listen((event) => web.listen(event));
  return web;
}
