import type { Logger } from "../../core/logger.js";
import type { TargetConnections } from "../../engine/target-kind.js";
import { OpenstackClient } from "../openstack-client/client/client.js";
import { systemDependencies } from "../openstack-client/dependencies.js";
import { openContrailReader, openContrailWriter, type TokensOf } from "./open-contrail.js";
import type { ContrailTargetConfiguration } from "./settings.js";

/** Connections to controllers, and to the clouds that provide tokens for them. */
export function contrailConnections(logger: Logger): TargetConnections<ContrailTargetConfiguration> {
  const dependencies = systemDependencies(logger);
  const tokensOf: TokensOf = (cloud) => new OpenstackClient(cloud, dependencies);
  return {
    reader: (configuration) => openContrailReader(configuration, dependencies, tokensOf),
    writer: (configuration) => openContrailWriter(configuration, dependencies, tokensOf),
    networks: (configuration) => openContrailReader(configuration, dependencies, tokensOf),
  };
}
