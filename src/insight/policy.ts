import type { Where } from "../core/errors.js";

/**
 * What insight is told of one rulebase: rules in one total order, of which the first that matches decides. A translation
 * beside each target makes it of a target's tree; nothing here knows a vendor. docs/contributing/flow-analysis.md says what answers made of
 * it promise.
 *
 * Objects (`Named`, `Unknown`) may stand in many rules: hand the same value over each time, and it is read once.
 */
export interface Policy {
  /** The rulebase that judges, as a person calls it: `vsys1`. Policies of equal scope are two versions of one. */
  readonly scope: string;
  /** Every zone that traffic can come from or go to. Zones that rules name beside these count as well. */
  readonly zones: readonly string[];
  /** True where the list of zones may not be whole: traffic of zones that nobody names is judged too. */
  readonly otherZones: boolean;
  /** From the top: the first that matches decides. Disabled rules, and those of other targets, are left out; default rules come last. */
  readonly rules: readonly Rule[];
  /** True where the target tells no applications apart: answers speak of none. */
  readonly withoutApplications?: boolean;
  /** The verdict where no rule matches. */
  readonly otherwise: Verdict;
  /** What this rulebase leaves out of account. Empty: answers are exact. */
  readonly limits: readonly Limit[];
}

/**
 * `allow` or `deny` for a filter; for a stage that translates, one text for each set of translated values. Rules of equal
 * verdict decide alike: changing one for the other is no change of what is reachable.
 */
export type Verdict = string;

/** One thing that a model of this rulebase does not hold. */
export interface Limit {
  /** A whole sentence for a person: "Routes are dynamic: the zone of an address is not known." */
  readonly text: string;
  /** True where an answer may be wrong for it: the word "exact" is withheld. False for what is said beside every answer. */
  readonly doubtful: boolean;
  /** It is about the change from another version: what these rules say by themselves does not hang on it. */
  readonly isOfChange?: boolean | undefined;
}

/** Flows, as a rule or a question speaks of them: those that match in every field. */
export interface FlowSet {
  readonly zones: ZonePairs;
  readonly source: Match<AddressRange>;
  readonly destination: Match<AddressRange>;
  /** What one of these matches. Empty: nothing. */
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
   * What the target has for it, where one rule there may be several here: of such a one it is said that it does nothing only
   * where nothing that is made of it does.
   */
  readonly parts?: readonly string[] | undefined;
  /** File, line and XPath, as far as they are known. */
  readonly origin: Where;
  readonly verdict: Verdict;
  /** The target's own word for the verdict: `reset-client`. A change of it alone is a note. */
  readonly action: string;
  /** Whether the target logs the end of each session that it decides; undefined where that is not said. */
  readonly isLogged?: boolean | undefined;
  /**
   * What the target does with sessions that it decides beside the verdict: profiles, logs. One text for all that is alike;
   * a rule of equal verdict stands in for it only where this is equal too.
   */
  readonly treatment?: string | undefined;
}

/** The level of rules that are always there: lint says nothing of them. */
export const DEFAULT_LEVEL = "default";

/** What makes two rules of two versions one rule. Unique in a policy but for `uuid`, which goes before `name` where both sides have it. */
interface RuleKey {
  /** Where in the order the rule was authored: `pre`, `local`, `post`, `default`. Any words, in any number. */
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
  /** Names of zones; empty: none. */
  readonly from: "any" | readonly string[];
  readonly to: "any" | readonly string[];
}

/** Values of one axis: the union of objects, or all but that union. No objects: nothing, or with `negated` everything. */
export type Match<Value> = "any" | { readonly negated: boolean; readonly objects: readonly Named<Value>[] };

/**
 * An object, group or literal that a rule names. It holds its own `values`, all that `members` hold, and what is in one of
 * `unknowns`. Members make no cycle. No values, members and unknowns: it is known to be empty.
 */
export interface Named<Value> {
  /** The same in both versions for the same object: where it is defined, what it is, its name. A literal's is its text. */
  readonly id: string;
  /** As a person reads it in an answer. */
  readonly name: string;
  readonly values: readonly Value[];
  readonly members: readonly Named<Value>[];
  readonly unknowns: readonly Unknown[];
  /** When what it holds was read from a target, as ISO 8601; undefined for what the configuration itself says. */
  readonly asOf?: string | undefined;
  readonly origin?: Where | undefined;
}

/**
 * First and last address of a range, both in it, 0 to 2^128-1. Where a target judges IPv4 as part of IPv6, IPv4 is `::/96`,
 * its own number: 10.0.0.1 is 0x0a000001, `0.0.0.0/0` is 0 to 2^32-1.
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

/** An application as the target names it. Names are disjoint; what no rule names is `other`, which "any" holds as well. */
export type ApplicationName = string;

/** Applications with the services on which they match: one of these for each set of applications with equal default ports. */
export interface Traffic {
  readonly applications: Match<ApplicationName>;
  readonly services: Match<ServiceRange>;
  /** All of these hold as well: "the port is the application's default" where default ports are not known. */
  readonly conditions?: readonly AnyOf[] | undefined;
}

/** `known` is a user with a name; `unknowns` are users and groups, each one matching only what is `known`. */
export type UserMatch = "any" | { readonly states: readonly UserState[]; readonly unknowns: readonly Unknown[] };

export type UserState = "known" | "unknown" | "pre-logon";

/**
 * A set or a circumstance whose content the configuration does not say: an FQDN, an external list, a region, a name that
 * nothing defines, a schedule. It is never taken for empty nor for any: what hangs on it is conditional. Among addresses
 * it stands for "the source (or destination) is in it". Two unknowns of equal kind and definition are one, in both versions.
 */
export interface Unknown {
  /** What it is: `fqdn`, `external list`, `schedule`, `unresolved name`. */
  readonly kind: string;
  /** Its whole content, one spelling each, never its name: a rename is no change, and other content is another unknown. */
  readonly definition: string;
  /** As a person reads it in an answer: `db.example.org`. */
  readonly name: string;
  /** Why it is not known: "the addresses of an FQDN were not read". */
  readonly reason: string;
}

/** At least one of these holds or, where `holds` is false, does not hold. Empty: never. */
export type AnyOf = readonly Literal[];

export interface Literal {
  readonly unknown: Unknown;
  readonly holds: boolean;
  /** What it is asked about; undefined: nothing but itself. */
  readonly subject?: "source" | "destination" | "application" | "service" | "user" | "circumstance" | undefined;
}
