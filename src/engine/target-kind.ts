import type { Logger } from "../core/logger.js";
import type { TargetConfiguration } from "../desired/configuration.js";
import type { DesiredKind } from "../desired/kind.js";
import type { KindGuards } from "../plan/model.js";
import type { KindNames } from "../plan/unknown-names.js";
import type { LogReader } from "./log-reader.js";
import type { NetworksReader } from "./networks-view.js";
import type { PolicyRole } from "./policies.js";
import type { ReadTarget } from "./target.js";
import type { WriteTarget } from "./write-target.js";

/**
 * One kind of target, whole: `src/targets/<kind>/kind.ts` exports one. It can be described (settings, shape, guards) without
 * loading what speaks to its targets. `Own` is what the kind's settings read a target as; a kind is only ever handed its own.
 */
export interface TargetKind<Own extends TargetConfiguration = TargetConfiguration> extends DesiredKind {
  /** What is dangerous on its targets, or what loads that with the first plan: who only checks documents needs no guards. */
  readonly guards: KindGuards | (() => Promise<KindGuards>);
  /** What its targets know without anybody declaring it, loaded with the first document; undefined for a kind whose names are not looked for. */
  readonly names?: () => Promise<KindNames>;
  /** Where its networks stand in an audit: in the service that users ask, or in the controller that makes them true. */
  readonly networks?: "service" | "controller";
  /** Of a kind whose trees hold rules that let through and stop. */
  readonly policies?: PolicyRole;
  /** Loads what speaks to its targets. */
  connect(logger: Logger): Promise<TargetConnections<Own>>;
}

/** Opens targets of one kind in one run; what is costly to make (keys, tokens) is shared by all that it opens. */
export interface TargetConnections<Own extends TargetConfiguration = TargetConfiguration> {
  reader(configuration: Own): ReadTarget;
  writer(configuration: Own): WriteTarget;
  /** Of a kind whose logs can be searched. */
  logs?(configuration: Own): LogReader;
  /** Of a kind with `networks`. */
  networks?(configuration: Own): ReadTarget & NetworksReader;
}

/** By `kind:` word. */
export type TargetKinds = ReadonlyMap<string, TargetKind>;

export function registryOf(kinds: readonly TargetKind[]): TargetKinds {
  return new Map(kinds.map((kind) => [kind.kind, kind]));
}
