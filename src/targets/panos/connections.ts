import type { Logger } from "../../core/logger.js";
import type { TargetConnections } from "../../engine/target-kind.js";
import { type PanosDependencies, systemDependencies } from "./dependencies.js";
import { openPanosReader } from "./reader.js";
import type { PanosTargetConfiguration } from "./settings.js";
import { openPanosWriter } from "./writer.js";

/** Connections of one process. They share API keys, knowledge about devices, and the connection pools of readers. */
export function panosConnections(
  logger: Logger,
  dependencies: PanosDependencies = systemDependencies(logger),
): TargetConnections<PanosTargetConfiguration> {
  return {
    reader: (configuration) => openPanosReader(configuration, dependencies, { isKept: true }),
    writer: (configuration) => openPanosWriter(configuration, dependencies),
    logs: (configuration) => openPanosReader(configuration, dependencies),
  };
}
