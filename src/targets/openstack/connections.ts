import type { Logger } from "../../core/logger.js";
import type { TargetConnections } from "../../engine/target-kind.js";
import type { OpenstackTargetConfiguration } from "../openstack-client/configuration.js";
import { systemDependencies } from "../openstack-client/dependencies.js";
import { openOpenstackReader } from "./reader.js";
import { openOpenstackWriter } from "./writer.js";

export function openstackConnections(logger: Logger): TargetConnections<OpenstackTargetConfiguration> {
  const dependencies = systemDependencies(logger);
  return {
    reader: (configuration) => openOpenstackReader(configuration, dependencies),
    writer: (configuration) => openOpenstackWriter(configuration, dependencies),
    networks: (configuration) => openOpenstackReader(configuration, dependencies),
  };
}
