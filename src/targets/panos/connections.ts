import type { Logger } from "../../core/logger.js";
import type { TargetConnections } from "../../engine/target-kind.js";
import { systemDependencies } from "./dependencies.js";
import { openPanosReader } from "./reader.js";
import type { PanosTargetConfiguration } from "./settings.js";
import { openPanosWriter } from "./writer.js";

/** Firewalls of one run: they share the API keys that were made. */
export function panosConnections(logger: Logger): TargetConnections<PanosTargetConfiguration> {
  const dependencies = systemDependencies(logger);
  return {
    reader: (configuration) => openPanosReader(configuration, dependencies),
    writer: (configuration) => openPanosWriter(configuration, dependencies),
    logs: (configuration) => openPanosReader(configuration, dependencies),
  };
}
