import type { Where } from "../core/errors.js";

/** What a change of rules lets through and what it stops (docs/insight.md). */
export interface Insight {
  /** Of each rulebase that the change concerns. */
  readonly scopes: readonly ScopeInsight[];
  /** Why nothing can be said; a plan stands all the same. */
  readonly failure?: string | undefined;
}

/** A firewall, or a virtual system of one that has several, which a manager hands its rules. */
export interface JudgedFirewall {
  readonly serial: string;
  readonly hostname?: string | undefined;
  readonly vsys?: string | undefined;
}

/** `fw-a`, `007000000000003 vsys2`. */
export function firewallName({ serial, hostname, vsys }: JudgedFirewall): string {
  return vsys === undefined ? (hostname ?? serial) : `${hostname ?? serial} ${vsys}`;
}

/** `fw-a`, `fw-a and fw-b`, `6 firewalls: fw-a, fw-b, fw-c and 3 more`; `others`: how many beside them it is not about. */
export function firewallsWords(firewalls: readonly JudgedFirewall[], others = 0): string {
  const names = firewalls.map(firewallName);
  if (others === 0 && names.length < 3) return names.join(" and ");
  const more = names.length - NAMED;
  const of = others === 0 ? "" : ` of ${names.length + others}`;
  const shown = `${names.slice(0, NAMED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  return `${names.length}${of} ${names.length + others === 1 ? "firewall" : "firewalls"}: ${shown}`;
}

/** Firewalls that a line has room for; all are in the JSON report. */
const NAMED = 6;

/** Of one rulebase, or of all firewalls of a manager of which the same is to be said. */
export interface ScopeInsight {
  /** The rulebase, as a person calls it: `vsys1`; device groups of the firewalls. */
  readonly scope: string;
  /** Of a manager: the firewalls that all of it is about. */
  readonly firewalls?: readonly JudgedFirewall[] | undefined;
  /** Rules after the change, default ones among them; of several firewalls the most that one has. */
  readonly rules: number;
  /** Nothing is left open: rows are all that changes, but for what each is conditional on. */
  readonly exact: boolean;
  readonly rows: readonly ReachRow[];
  /** Rules that decide nothing any more, and did before or are new. */
  readonly idle: readonly IdleRule[];
  /** Rules that do the same with another word: "clean-up: deny becomes drop". */
  readonly notes: readonly string[];
  /** Where it was given up: something may change there. */
  readonly undecided: readonly string[];
  /** What answers may be wrong for. */
  readonly doubts: readonly string[];
  /** What is said beside every answer. */
  readonly beside: readonly string[];
}

/** A rule that decides nothing since a change. */
export interface IdleRule {
  /** `shadowed`: others above it decide all that it matches; `undecided`: it was given up whether they do. */
  readonly kind: "shadowed" | "matches-nothing" | "undecided";
  /** It was not there before the change. */
  readonly isNew: boolean;
  readonly rule: string;
  readonly where: Where;
  /** Of those that shadow it a smallest set. */
  readonly by: readonly { readonly name: string; readonly where: Where }[];
}

/** Flows that change alike, for one cause. */
export interface ReachRow {
  /** `opened`: they pass from now on; `closed`: they do no more; `redirected`: they come to another place. */
  readonly change: "opened" | "closed" | "redirected";
  /** "group web gains web-03", "rule web-to-db is new". */
  readonly cause: string;
  readonly was: DecidingRules;
  readonly now: DecidingRules;
  /** Where NAT and routes are the cause: where flows come to, as far as they pass: "web-02 (10.1.0.12) in dmz". */
  readonly reaches?: { readonly was?: string | undefined; readonly now?: string | undefined } | undefined;
  /** One of these must hold; empty: it is certain. A flow with conditions of its own has those instead. */
  readonly conditions: readonly string[];
  /** The flows, exactly; of very many the first. */
  readonly flows: readonly FlowWords[];
  /** How many more there are than `flows` shows. */
  readonly more: number;
  /** Where the flows are too finely cut to be listed: what they are of `flows`, which then holds them all and more. */
  readonly except?: string | undefined;
}

export interface DecidingRules {
  readonly verdict: string;
  /** From the top; of very many the first. */
  readonly rules: readonly { readonly name: string; readonly where: Where }[];
  readonly more: number;
}

/** A product of sets. Each is a complete list of the fewest names, separated by `, `; `any` is everything. */
export interface FlowWords {
  readonly from: string;
  readonly to: string;
  readonly source: string;
  readonly destination: string;
  readonly service: string;
  /** Empty where the target tells no applications apart. */
  readonly application: string;
  readonly user: string;
  /** The same sets in values. */
  readonly sets?: FlowSets | undefined;
  /** Present if flows of one row hold under different conditions: one of these must hold for this flow. */
  readonly conditions?: readonly string[] | undefined;
}

/** The complete sets of a flow; `any` is everything. Both ends of a range are in it. */
export interface FlowSets {
  readonly from: "any" | readonly string[];
  readonly to: "any" | readonly string[];
  readonly source: "any" | readonly Span<string>[];
  readonly destination: "any" | readonly Span<string>[];
  readonly services: "any" | readonly (Span<number> & { readonly protocol: number })[];
  readonly sourcePorts: "any" | readonly Span<number>[];
  readonly applications: "any" | readonly string[];
  readonly users: "any" | readonly string[];
}

interface Span<Value> {
  readonly first: Value;
  readonly last: Value;
}
