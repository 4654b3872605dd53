import { goOnUnless } from "../core/interrupted.js";
import type { TargetConfiguration } from "../desired/configuration.js";
import type { Writers } from "../engine/pass/options.js";
import type { ReadTarget } from "../engine/target.js";

/**
 * Connections whose readers are closed when the agent stops: a device that hangs keeps nobody waiting. Writers are not
 * touched: what they have begun is brought to its end, or put back.
 */
export function stoppable(writers: Writers, stop: AbortSignal): Writers {
  return {
    ...writers,
    reader: async (configuration: TargetConfiguration): Promise<ReadTarget> => {
      goOnUnless(stop);
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
