import type { Where } from "../core/errors.js";

/**
 * Vendor-neutral model of one rulebase: rules in a total order; the first matching rule decides. Each kind of target translates its tree
 * into it. docs/contributing/flow-analysis.md describes the guarantees of the results.
 *
 * Reuse one object (`Named`, `Unknown`) for all rules that refer to it: then it is compiled only once.
 */
export interface Policy {
  /** The rulebase that judges, as a person calls it: `vsys1`. Policies of equal scope are two versions of one. */
  readonly scope: string;
  /** All known zones of traffic. Further zones in rules count as well. */
  readonly zones: readonly string[];
  /** True if the list of zones may be incomplete. Traffic of other zones is then analysed too. */
  readonly otherZones: boolean;
  /** Rules in order. Excludes disabled rules and rules for other targets. Default rules come last. */
  readonly rules: readonly Rule[];
  /** True if the target does not distinguish applications. Results then mention none. */
  readonly withoutApplications?: boolean;
  /** The verdict if no rule matches. */
  readonly otherwise: Verdict;
  /** Known gaps of this model. If empty, results are exact. */
  readonly limits: readonly Limit[];
}

/**
 * `allow` or `deny` for a filter. For a translation, one text per set of translated values. Exchanging rules of equal verdict does not
 * change reachability.
 */
export type Verdict = string;

/** One thing that a model of this rulebase does not hold. */
export interface Limit {
  /** A complete sentence for the user: "Routes are dynamic: the zone of an address is not known." */
  readonly text: string;
  /** True if results may be wrong because of it, so they are not called "exact". False for remarks. */
  readonly doubtful: boolean;
  /** Applies only to the comparison with another version, not to the rules themselves. */
  readonly isOfChange?: boolean | undefined;
}

/** Flows of a rule or a question: those that match in every field. */
export interface FlowSet {
  readonly zones: ZonePairs;
  readonly source: Match<AddressRange>;
  readonly destination: Match<AddressRange>;
  /** Alternatives. Empty: matches no flow. */
  readonly traffic: readonly Traffic[];
  readonly users: UserMatch;
  /** All of these hold as well: a schedule, a host profile, a child of the rule that the model does not know. */
  readonly conditions: readonly AnyOf[];
}

/** All flows of some zones. */
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
   * Names of the target's rules, if one of them is split into several rules here. Such a rule has no effect only if all of its parts have
   * none.
   */
  readonly parts?: readonly string[] | undefined;
  /** File, line and XPath, as far as they are known. */
  readonly origin: Where;
  readonly verdict: Verdict;
  /** The target's name for the verdict: `reset-client`. A change with equal verdict is only a note. */
  readonly action: string;
  /** Reports whether the target logs the end of each session of this rule. Undefined if unknown. */
  readonly isLogged?: boolean | undefined;
  /**
   * Other handling of sessions by the target: profiles, logs. Equal handling has equal texts. A rule can replace another one only if
   * verdict and treatment are equal.
   */
  readonly treatment?: string | undefined;
}

/** The level of predefined rules. Lint ignores them. */
export const DEFAULT_LEVEL = "default";

/**
 * Identity of a rule across versions. Unique in a policy except for `uuid`, which takes precedence over `name` if both versions have it.
 */
interface RuleKey {
  /** Origin of the rule: `pre`, `local`, `post`, `default`. Any texts are allowed. */
  readonly level: string;
  /** Who authored it: a device group, `shared`; empty for the target itself. */
  readonly group: string;
  readonly name: string;
  readonly uuid?: string | undefined;
}

/**
 * Pairs of zones. `universal`: from x to. `intrazone`: each zone of `from` to itself, `to` is not looked at. `interzone`:
 * from x to without a zone to itself.
 */
export interface ZonePairs {
  readonly type: "universal" | "intrazone" | "interzone";
  /** Names of zones. Empty: no zones. */
  readonly from: "any" | readonly string[];
  readonly to: "any" | readonly string[];
}

/** Values of one axis: the union of objects, or its complement. Without objects: no values, or all values with `negated`. */
export type Match<Value> = "any" | { readonly negated: boolean; readonly objects: readonly Named<Value>[] };

/**
 * An object, group or literal in a rule. Its content is its own `values`, the content of `members`, and unknown content in `unknowns`.
 * Members contain no cycles. If all three are empty, the object is known to be empty.
 */
export interface Named<Value> {
  /** Equal in both versions for the same object: scope, type and name. For a literal, its text. */
  readonly id: string;
  /** As a person reads it in an answer. */
  readonly name: string;
  readonly values: readonly Value[];
  readonly members: readonly Named<Value>[];
  readonly unknowns: readonly Unknown[];
  /** Time at which dynamic content was read from a target, ISO 8601. Undefined for content of the configuration. */
  readonly asOf?: string | undefined;
  readonly origin?: Where | undefined;
}

/**
 * First and last address of a range, inclusive, 0 to 2^128-1. If a target treats IPv4 as part of IPv6, IPv4 is `::/96`: 10.0.0.1 is
 * 0x0a000001, `0.0.0.0/0` is 0 to 2^32-1.
 */
export interface AddressRange {
  readonly first: bigint;
  readonly last: bigint;
}

/** A protocol's ports. `any` service is every protocol; a protocol without ports has 0 to 65535. */
export interface ServiceRange {
  /** IP protocol number, 0 to 255: tcp 6, udp 17, sctp 132. */
  readonly protocol: number;
  /** First and last destination port, both in it, 0 to 65535. */
  readonly first: number;
  readonly last: number;
  /** Ranges of source ports, ends in them; undefined: any. */
  readonly sourcePorts?: readonly { readonly first: number; readonly last: number }[] | undefined;
}

/** An application name of the target. Applications are disjoint. Unnamed applications are `other`, which "any" includes. */
export type ApplicationName = string;

/** Applications with the services on which they match: one of these for each set of applications with equal default ports. */
export interface Traffic {
  readonly applications: Match<ApplicationName>;
  readonly services: Match<ServiceRange>;
  /** Further conditions: "the port is the application's default" if default ports are unknown. */
  readonly conditions?: readonly AnyOf[] | undefined;
}

/** `known` is a user with a name. `unknowns` are users and groups; each matches only `known` users. */
export type UserMatch = "any" | { readonly states: readonly UserState[]; readonly unknowns: readonly Unknown[] };

export type UserState = "known" | "unknown" | "pre-logon";

/**
 * A set or circumstance with content outside the configuration: an FQDN, an external list, a region, an undefined name, a schedule. Never
 * treated as empty or as any; results that depend on it are conditional. For addresses it means "the source (or destination) is in the
 * set". Unknowns of equal kind and definition are the same in both versions.
 */
export interface Unknown {
  /** Type: `fqdn`, `external list`, `schedule`, `unresolved name`. */
  readonly kind: string;
  /** Its complete content in a canonical form, without its name. So a rename is no change, and other content is another unknown. */
  readonly definition: string;
  /** As a person reads it in an answer: `db.example.org`. */
  readonly name: string;
  /** Reason: "the addresses of an FQDN were not read". */
  readonly reason: string;
}

/** At least one literal is true. Empty: never true. */
export type AnyOf = readonly Literal[];

export interface Literal {
  readonly unknown: Unknown;
  readonly holds: boolean;
  /** Field of the flow that the unknown is about. Undefined: a circumstance independent of the flow. */
  readonly subject?: "source" | "destination" | "application" | "service" | "user" | "circumstance" | undefined;
}
