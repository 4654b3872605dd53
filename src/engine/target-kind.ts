import type { RuleDesigner } from "../access/designer.js";
import type { FlowDesigner } from "../access/flow-designer.js";
import type { Logger } from "../core/logger.js";
import type { TargetConfiguration } from "../desired/configuration/configuration.js";
import type { DesiredKind } from "../desired/kind.js";
import type { KindGuards } from "../plan/model.js";
import type { KindNames } from "../plan/unknown-names.js";
import type { PolicyRole } from "../reachability/policy-role.js";
import type { LogReader } from "./log-reader.js";
import type { NetworksReader } from "./networks-view.js";
import type { ReadTarget } from "./target.js";
import type { WriteTarget } from "./write-target.js";

/**
 * A kind of target. `src/targets/<kind>/kind.ts` exports it. It can be described (settings, shape, guards) without loading the client of
 * its targets. `Own` is the kind's type of target configuration.
 */
export interface TargetKind<Own extends TargetConfiguration = TargetConfiguration> extends DesiredKind {
  /** Guards of the kind, or a function that loads them with the first plan. `validate` does not need them. */
  readonly guards: KindGuards | (() => Promise<KindGuards>);
  /** Names that targets know without a declaration, loaded with the first document. Undefined for a kind whose names are not checked. */
  readonly names?: () => Promise<KindNames>;
  /** Role in a network audit: the service with the user's networks, or the controller that implements them. */
  readonly networks?: "service" | "controller";
  /** Of a kind whose trees hold rules that let through and stop. */
  readonly policies?: PolicyRole;
  /** Loads the writer of access requests. Undefined for a kind whose rules are not designed. */
  readonly designer?: () => Promise<RuleDesigner | FlowDesigner>;
  /** Loads the client of its targets. */
  connect(logger: Logger): Promise<TargetConnections<Own>>;
}

/** Opens targets of one kind in one run. They share keys and tokens. */
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
