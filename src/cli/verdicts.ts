import type { AskVerdicts } from "../engine/artifacts.js";
import type { Context } from "./context.js";
import type { Terminal } from "./terminal.js";

/** Verdicts by the service that the environment names, as `plumbline verdict` asks it; remembered in the state folder. Loaded when a hash is asked for: most plans have none. */
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
