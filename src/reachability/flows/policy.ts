import type { Where } from "../../core/errors.js";

/**
 * The input of insight for one rulebase: rules in one total order. The first matching rule decides. The translation next to each target
 * creates it from the target's tree; this folder contains no vendor-specific code. docs/contributing/flow-analysis.md describes the
 * guarantees of answers.
 *
 * Objects (`Named`, `Unknown`) may be in many rules. Pass the same object each time, so that it is read only once.
 */
export interface Policy {
  /** Name of the rulebase for users: `vsys1`. Policies with equal scope are two versions of one policy. */
  readonly scope: string;
  /** All zones of the target. Zones that appear only in rules count too. */
  readonly zones: readonly string[];
  /** True if the list of zones may be incomplete. Then traffic of unnamed zones is analysed too. */
  readonly otherZones: boolean;
  /** From the top; the first match decides. Disabled rules and rules of other targets are omitted. Default rules come last. */
  readonly rules: readonly Rule[];
  /** Rules of the target that are disabled. They name the cause of a change. */
  readonly disabled?: readonly RuleKey[] | undefined;
  /** True if the target does not distinguish applications. Answers then contain no applications. */
  readonly withoutApplications?: boolean;
  /** Rules that exist on the target and were not read. */
  readonly unread?: UnreadRules | undefined;
  /** Verdict for flows that match no rule. */
  readonly otherwise: Verdict;
  /** Aspects that this rulebase ignores. Empty means that answers are exact. */
  readonly limits: readonly Limit[];
}

/**
 * `allow` or `deny` for a filter. For a translating stage, one text per set of translated values. Rules with equal verdicts decide alike:
 * replacing one by the other does not change reachability.
 */
export type Verdict = string;

/** Rules that were not read. */
export interface UnreadRules {
  /** Position of the first rule below them. */
  readonly at: number;
  /** A sentence for users that says which. */
  readonly text: string;
}

/** An aspect that the model of this rulebase lacks. */
export interface Limit {
  /** A complete sentence for users: "Routes are dynamic: the zone of an address is not known." */
  readonly text: string;
  /** Whether an answer may be wrong because of this limit. Then it is not called "exact". False for notes on every answer. */
  readonly doubtful: boolean;
  /** Whether the limit concerns only the change from another version. Then it does not affect answers about these rules themselves. */
  readonly isOfChange?: boolean | undefined;
}

/** The flows that match in every field, for a rule or a question. */
export interface FlowSet {
  readonly zones: ZonePairs;
  readonly source: Match<AddressRange>;
  readonly destination: Match<AddressRange>;
  /** A flow must match one of these. Empty matches no flow. */
  readonly traffic: readonly Traffic[];
  readonly users: UserMatch;
  /** All of these must hold too: a schedule, a host profile, a child of the rule that is not modelled. */
  readonly conditions: readonly AnyOf[];
}

/** All flows between some zones. */
export const ANY_FLOW: Omit<FlowSet, "zones"> = {
  source: "any",
  destination: "any",
  traffic: [{ applications: "any", services: "any" }],
  users: "any",
  conditions: [],
};

export interface Rule extends FlowSet {
  readonly key: RuleKey;
  /**
   * The corresponding rules of the target. One rule of the target may become several rules here. It is reported as without effect only if
   * all of them have no effect.
   */
  readonly parts?: readonly string[] | undefined;
  /** File, line and XPath, if known. */
  readonly origin: Where;
  readonly verdict: Verdict;
  /** The target's name for the verdict: `reset-client`. A change of only this name is a note. */
  readonly action: string;
  /** Whether the target logs the end of each session of this rule. Undefined if unknown. */
  readonly isLogged?: boolean | undefined;
  /**
   * Other effects of the rule on its sessions, such as profiles and logs, as one text. A rule can replace another only if verdict and
   * treatment are equal.
   */
  readonly treatment?: string | undefined;
}

/** Level of the built-in rules, which lint skips. */
export const DEFAULT_LEVEL = "default";

/**
 * Identifies a rule across two versions. Unique in a policy, except `uuid`. If both sides have a `uuid`, it takes precedence over `name`.
 */
export interface RuleKey {
  /** Section of the rule: `pre`, `local`, `post`, `default`. Any names and any number of them are possible. */
  readonly level: string;
  /** Owner of the rule: a device group, `shared`; empty for the target itself. */
  readonly group: string;
  readonly name: string;
  readonly uuid?: string | undefined;
}

/** Returns a text that identifies a rule in several policies. */
export function ruleId({ level, group, name }: Pick<RuleKey, "level" | "group" | "name">): string {
  return JSON.stringify([level, group, name]);
}

/**
 * Pairs of zones. `universal`: all pairs of `from` and `to`. `intrazone`: each zone of `from` with itself; `to` is ignored. `interzone`:
 * all pairs of `from` and `to` with different zones.
 */
export interface ZonePairs {
  readonly type: "universal" | "intrazone" | "interzone";
  /** Names of zones. Empty means no zone. */
  readonly from: "any" | readonly string[];
  readonly to: "any" | readonly string[];
}

/** Values of one axis: the union of objects, or its complement. Without objects it is empty, or with `negated` everything. */
export type Match<Value> = "any" | { readonly negated: boolean; readonly objects: readonly Named<Value>[] };

/**
 * An object, group or literal in a rule. It contains its own `values`, all values of `members`, and the content of `unknowns`. Members form
 * no cycle. If all three are empty, the object is certainly empty.
 */
export interface Named<Value> {
  /** Equal in both versions for the same object: its location, type and name. For a literal, its text. */
  readonly id: string;
  /** Name for users. */
  readonly name: string;
  readonly values: readonly Value[];
  readonly members: readonly Named<Value>[];
  readonly unknowns: readonly Unknown[];
  /** Time at which the content was read from a target, as ISO 8601. Undefined for content of the configuration itself. */
  readonly asOf?: string | undefined;
  readonly origin?: Where | undefined;
}

/**
 * First and last address, inclusive, 0 to 2^128-1. If a target treats IPv4 as part of IPv6, IPv4 is `::/96`, with the same number: 10.0.0.1
 * is 0x0a000001, and `0.0.0.0/0` is 0 to 2^32-1.
 */
export interface AddressRange {
  readonly first: bigint;
  readonly last: bigint;
}

/** Ports of a protocol. Service `any` is every protocol. A protocol without ports has 0 to 65535. */
export interface ServiceRange {
  /** IP protocol number, 0 to 255: tcp 6, udp 17, sctp 132. */
  readonly protocol: number;
  /** First and last destination port, inclusive, 0 to 65535. */
  readonly first: number;
  readonly last: number;
  /** Ranges of source ports, inclusive. Undefined means any. */
  readonly sourcePorts?: readonly { readonly first: number; readonly last: number }[] | undefined;
}

/** Name of an application at the target. Names are disjoint. Applications that no rule names are `other`, which "any" includes. */
export type ApplicationName = string;

/** Applications with the services on which they match. There is one item for each set of applications with equal default ports. */
export interface Traffic {
  readonly applications: Match<ApplicationName>;
  readonly services: Match<ServiceRange>;
  /** All of these must hold too: "the port is the application's default" if default ports are unknown. */
  readonly conditions?: readonly AnyOf[] | undefined;
}

/** `known` is a user with a name. `unknowns` are users and groups; each matches only `known` users. */
export type UserMatch = "any" | { readonly states: readonly UserState[]; readonly unknowns: readonly Unknown[] };

export type UserState = "known" | "unknown" | "pre-logon";

/**
 * A set or circumstance whose content is not in the configuration: an FQDN, an external list, a region, an undefined name, a schedule. It
 * is never treated as empty or as any. Results that depend on it are conditional. As an address it means "the source (or destination) is in
 * the set". Two unknowns with equal kind and definition are identical, in both versions.
 */
export interface Unknown {
  /** Type of the unknown: `fqdn`, `external list`, `schedule`, `unresolved name`. */
  readonly kind: string;
  /**
   * Its complete content in canonical form, without its name. A rename is therefore not a change, and different content is a different
   * unknown.
   */
  readonly definition: string;
  /** Name for users: `db.example.org`. */
  readonly name: string;
  /** Reason: "the addresses of an FQDN were not read". */
  readonly reason: string;
}

/** Kind of the unknown addresses of a DNS name. Its definition is the name. */
export const FQDN = "FQDN";

/** Kind of an unknown user, or of a group that names do not distinguish from a user. */
export const USER = "user or group";

/** At least one of these literals is true. A literal with `holds` false is true if its unknown does not hold. Empty means never. */
export type AnyOf = readonly Literal[];

export interface Literal {
  readonly unknown: Unknown;
  readonly holds: boolean;
  /** Subject of the unknown. Undefined means a circumstance that is independent of the flow. */
  readonly subject?: "source" | "destination" | "application" | "service" | "user" | "circumstance" | undefined;
}
