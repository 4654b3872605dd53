import { PlumblineError } from "../core/errors.js";
import type { Logger } from "../core/logger.js";
import type { TargetConfiguration } from "../desired/configuration/configuration.js";
import type { KindGuards } from "../plan/model.js";
import type { LogReader } from "./log-reader.js";
import type { NetworksReader } from "./networks-view.js";
import type { Readers, Writers } from "./pass/options.js";
import type { ReadTarget } from "./target.js";
import type { TargetConnections, TargetKind, TargetKinds } from "./target-kind.js";

/** Opens targets for commands that look and do not touch. A kind's client is loaded with the first target of the kind. */
export function readersOf(kinds: TargetKinds, logger: Logger): Readers {
  return readersBy(kinds, connecting(kinds, logger));
}

/** Opens targets for commands that write. */
export function writersOf(kinds: TargetKinds, logger: Logger): Writers {
  const connect = connecting(kinds, logger);
  return { ...readersBy(kinds, connect), writer: async (configuration) => (await connect(configuration)).writer(configuration) };
}

/** Opens targets for commands that read logs. Throws `logs-not-offered` for a target without logs. */
export function logReadersOf(kinds: TargetKinds, logger: Logger): (configuration: TargetConfiguration) => Promise<LogReader> {
  const connect = connecting(kinds, logger);
  return async (configuration) => {
    const reader = (await connect(configuration)).logs?.(configuration);
    if (reader !== undefined) return reader;
    throw new PlumblineError("logs-not-offered", `Targets of kind ${configuration.kind} have no logs to query.`, {
      where: { target: configuration.name },
      next: "Name a firewall.",
    });
  };
}

/** Opens a target that shows its networks. */
export type OpenNetworks = (configuration: TargetConfiguration) => Promise<ReadTarget & NetworksReader>;

/** Opens the targets that `plumbline audit` compares. */
export function networksReadersOf(kinds: TargetKinds, logger: Logger): OpenNetworks {
  const connect = connecting(kinds, logger);
  return async (configuration) => {
    const reader = (await connect(configuration)).networks?.(configuration);
    if (reader === undefined) throw new Error(`targets of kind ${configuration.kind} show no networks`);
    return reader;
  };
}

type Connect = (configuration: TargetConfiguration) => Promise<TargetConnections>;

function connecting(kinds: TargetKinds, logger: Logger): Connect {
  const begun = new Map<string, Promise<TargetConnections>>();
  return ({ kind }) => {
    const connections = begun.get(kind) ?? kindOf(kinds, kind).connect(logger);
    begun.set(kind, connections);
    return connections;
  };
}

/** Returns the guards of a kind. Loads them if needed. */
export async function guardsOf({ guards }: Pick<TargetKind, "guards">): Promise<KindGuards> {
  return typeof guards === "function" ? await guards() : guards;
}

function readersBy(kinds: TargetKinds, connect: Connect): Readers {
  return {
    reader: async (configuration) => (await connect(configuration)).reader(configuration),
    guards: async (kind) => {
      const described = kindOf(kinds, kind);
      return { ...(await guardsOf(described)), names: await described.names?.() };
    },
    policies: (kind) => kindOf(kinds, kind).policies,
  };
}

function kindOf(kinds: TargetKinds, word: string): TargetKind {
  const kind = kinds.get(word);
  if (kind === undefined) throw new Error(`no kind of target is called ${word}`);
  return kind;
}
