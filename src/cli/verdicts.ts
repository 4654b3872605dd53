import type { AskVerdicts } from "../engine/artifacts.js";
import type { Context } from "./context.js";
import type { Terminal } from "./terminal.js";

/**
 * Looks up verdicts with the service from the environment, like `plumbline verdict`. Results are cached in the state folder. Loaded on use,
 * because most plans have no hashes.
 */
export function askVerdicts(context: Context, session: Terminal, stateFolder: string): AskVerdicts {
  return async (hashes) => {
    const [{ serviceSettings }, { openVerdicts, systemVerdictDependencies }] = await Promise.all([
      import("../verdict/settings.js"),
      import("../verdict/verdicts.js"),
    ]);
    const service = await serviceSettings({}, context.environment, context.folder);
    const dependencies = systemVerdictDependencies(session.logger, () => context.now().getTime());
    const verdicts = await openVerdicts(service, stateFolder, dependencies);
    try {
      const found = await verdicts.lookUp(hashes, { stop: context.stop });
      return new Map([...found.verdicts].map(([hash, { verdict }]) => [hash, verdict]));
    } finally {
      await verdicts.close();
    }
  };
}
