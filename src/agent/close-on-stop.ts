import { throwIfStopped } from "../core/interrupted.js";
import type { TargetConfiguration } from "../desired/configuration/configuration.js";
import type { Writers } from "../engine/pass/options.js";
import type { ReadTarget } from "../engine/target.js";

/**
 * Closes readers when the agent stops, so that a hanging device does not delay it. Writers are not closed: they complete or revert their
 * work.
 */
export function closedOnStop(writers: Writers, stop: AbortSignal): Writers {
  return {
    ...writers,
    reader: async (configuration: TargetConfiguration): Promise<ReadTarget> => {
      throwIfStopped(stop);
      const reader = await writers.reader(configuration);
      const end = (): void => void reader.close().catch(() => undefined);
      const close = reader.close.bind(reader);
      reader.close = async () => {
        stop.removeEventListener("abort", end);
        await close();
      };
      stop.addEventListener("abort", end, { once: true });
      return reader;
    },
  };
}
