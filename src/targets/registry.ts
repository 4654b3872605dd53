import { PlumblineError } from "../core/errors.js";
import type { Logger } from "../core/logger.js";
import type { TargetConfiguration } from "../desired/configuration.js";
import type { KindRegistry } from "../desired/kind.js";
import type { NetworksReaders } from "../engine/networks-view.js";
import type { Readers, Writers } from "../engine/pass/options.js";
import type { KindGuards } from "../plan/model.js";
import { contrailGuards } from "./contrail/guards.js";
import { contrailKind } from "./contrail/kind.js";
import { openContrailReader, openContrailWriter, type TokensOf } from "./contrail/open.js";
import { memoryGuards, memoryKind } from "./memory/kind.js";
import { openMemoryReader, openMemoryWriter } from "./memory/open.js";
import { OpenstackClient } from "./openstack/client/client.js";
import { systemDependencies as openstackDependencies } from "./openstack/dependencies.js";
import { openstackGuards } from "./openstack/guards.js";
import { openstackKind } from "./openstack/kind.js";
import { openOpenstackReader } from "./openstack/reader.js";
import { openOpenstackWriter } from "./openstack/writer.js";
import { type PanosDependencies, systemDependencies } from "./panos/dependencies.js";
import { panosGuards } from "./panos/guards.js";
import { panosKind } from "./panos/kind.js";
import { openPanosReader, type PanosReader } from "./panos/reader.js";
import { openPanosWriter } from "./panos/writer.js";

/** Every kind of target that desired state may name. */
export const kinds: KindRegistry = new Map([
  [panosKind.kind, panosKind],
  [memoryKind.kind, memoryKind],
  [openstackKind.kind, openstackKind],
  [contrailKind.kind, contrailKind],
]);

/** Opens targets for commands that look and do not touch. */
export function readersFor(logger: Logger): Readers {
  return readersWith(systemDependencies(logger));
}

/** Opens targets for commands that look into logs. Throws `logs-not-offered` for a kind that has none. */
export function logReadersFor(logger: Logger): (configuration: TargetConfiguration) => PanosReader {
  const dependencies = systemDependencies(logger);
  return (configuration) => {
    if (configuration.kind === "panos") return openPanosReader(configuration, dependencies);
    throw new PlumblineError("logs-not-offered", `Targets of kind ${configuration.kind} have no logs to query.`, {
      where: { target: configuration.name },
      next: "Name a firewall.",
    });
  };
}

/** Opens what `plumbline audit` compares. */
export function networksReadersFor(logger: Logger): NetworksReaders {
  return {
    cloud: (configuration) => openOpenstackReader(configuration, openstackDependencies(logger)),
    controller: (configuration) => openContrailReader(configuration, systemDependencies(logger), tokensBy(logger)),
  };
}

/** Opens targets for commands that write. */
export function writersFor(logger: Logger): Writers {
  const dependencies = systemDependencies(logger);
  return {
    ...readersWith(dependencies),
    writer: (configuration) => {
      switch (configuration.kind) {
        case "panos":
          return openPanosWriter(configuration, dependencies);
        case "memory":
          return openMemoryWriter(configuration);
        case "contrail":
          return openContrailWriter(configuration, dependencies, tokensBy(logger));
        case "openstack":
          return openOpenstackWriter(configuration, openstackDependencies(logger));
      }
    },
  };
}

function readersWith(dependencies: PanosDependencies): Readers {
  return {
    reader: (configuration) => {
      switch (configuration.kind) {
        case "panos":
          return openPanosReader(configuration, dependencies);
        case "memory":
          return openMemoryReader(configuration);
        case "openstack":
          return openOpenstackReader(configuration, openstackDependencies(dependencies.logger));
        case "contrail":
          return openContrailReader(configuration, dependencies, tokensBy(dependencies.logger));
      }
    },
    guards: guardsOf,
  };
}

/** A controller is let in by tokens of the cloud beside it. */
function tokensBy(logger: Logger): TokensOf {
  return (cloud) => new OpenstackClient(cloud, openstackDependencies(logger));
}

function guardsOf(kind: TargetConfiguration["kind"]): KindGuards {
  switch (kind) {
    case "panos":
      return panosGuards;
    case "memory":
      return memoryGuards;
    case "openstack":
      return openstackGuards;
    case "contrail":
      return contrailGuards;
  }
}
