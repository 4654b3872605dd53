import type { Where } from "../core/errors.js";

/** Effect of a rule change: flows that are opened and closed (docs/insight.md). */
export interface Insight {
  /** One entry for each rulebase that the change affects. */
  readonly scopes: readonly ScopeInsight[];
  /** Why there is no result. The plan is still valid. */
  readonly failure?: string | undefined;
}

/** A firewall, or a virtual system of a firewall with several, that gets its rules from a manager. */
export interface JudgedFirewall {
  readonly serial: string;
  readonly hostname?: string | undefined;
  readonly vsys?: string | undefined;
}

/** Returns `fw-a`, or `007000000000003 vsys2`. */
export function firewallName({ serial, hostname, vsys }: JudgedFirewall): string {
  return vsys === undefined ? (hostname ?? serial) : `${hostname ?? serial} ${vsys}`;
}

/**
 * Returns `fw-a`, `fw-a and fw-b`, or `6 firewalls: fw-a, fw-b, fw-c and 3 more`.
 * @param others Number of further firewalls that are not affected.
 */
export function formatFirewalls(firewalls: readonly JudgedFirewall[], others = 0): string {
  const names = firewalls.map(firewallName);
  if (others === 0 && names.length < 3) return names.join(" and ");
  const more = names.length - NAMED;
  const of = others === 0 ? "" : ` of ${names.length + others}`;
  const shown = `${names.slice(0, NAMED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  return `${names.length}${of} ${names.length + others === 1 ? "firewall" : "firewalls"}: ${shown}`;
}

/** Maximum number of firewalls on one line. The JSON report lists all. */
const NAMED = 6;

/** Result for one rulebase, or for all firewalls of a manager with the same result. */
export interface ScopeInsight {
  /** Display name of the rulebase: `vsys1`, or the device groups of the firewalls. */
  readonly scope: string;
  /** For a manager: the firewalls that this result applies to. */
  readonly firewalls?: readonly JudgedFirewall[] | undefined;
  /** Number of rules after the change, including default rules. For several firewalls, the maximum. */
  readonly rules: number;
  /** True if `rows` contains every change. Rows may still have conditions. */
  readonly exact: boolean;
  readonly rows: readonly ReachRow[];
  /** The rows in short form, grouped by edit. The largest exposure comes first. */
  readonly edits: readonly EditSummary[];
  /** Unknowns that the rows depend on, by kind: FQDN, schedule. */
  readonly dependsOn: readonly { readonly kind: string; readonly names: readonly string[] }[];
  /** Rules that no longer decide any flow: new rules, and rules that decided flows before. */
  readonly idle: readonly IdleRule[];
  /** Rules with a new action but the same effect: "clean-up: deny becomes drop". */
  readonly notes: readonly string[];
  /** Places where the analysis gave up. There may be changes. */
  readonly undecided: readonly string[];
  /** Reasons why results may be wrong. */
  readonly doubts: readonly string[];
  /** Notes that apply to every result. */
  readonly beside: readonly string[];
}

/** A rule that decides no flow after a change. */
export interface IdleRule {
  /** `shadowed`: rules above it decide all its flows. `undecided`: the analysis gave up. */
  readonly kind: "shadowed" | "matches-nothing" | "undecided";
  /** True if the rule did not exist before the change. */
  readonly isNew: boolean;
  readonly rule: string;
  readonly where: Where;
  /** Minimal set of rules that shadow it. */
  readonly by: readonly { readonly name: string; readonly where: Where }[];
}

/** All rows of one edit in short form. */
export interface EditSummary {
  readonly edit: Edit;
  readonly rows: readonly SummaryRow[];
}

/** A change of a rule or an object. */
export interface Edit {
  /** "rule web-to-db", "object web". */
  readonly subject: string;
  readonly where: Where;
  /** The complete change: "added" with "zone tv" and "service tcp_8081". An item may be missing: "moved". */
  readonly changes: readonly { readonly kind: string; readonly items: readonly string[] }[];
}

/** Flows of one edit and one direction as one product of sets. */
export interface SummaryRow {
  readonly change: ReachRow["change"];
  /** Contains all flows of the row. */
  readonly flow: FlowWords;
  /** Number of addresses, as decimal numbers. */
  readonly addresses: { readonly source: string; readonly destination: string };
  /** 1: `flow` contains no other flows. More: number of exact sets. 0: too many to count. */
  readonly parts: number;
  /** At least one of these must hold. Empty: certain. */
  readonly conditions: readonly string[];
  /** True if each flow has only some of these conditions. `rows` pairs them with their flows. */
  readonly conditionsDiffer?: true | undefined;
  readonly was: DecidingRules;
  readonly now: DecidingRules;
  readonly reaches?: ReachRow["reaches"];
  readonly example: ExampleFlow;
}

/** One flow of a row. */
export interface ExampleFlow {
  /** Undefined: any zone. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly source: string;
  readonly destination: string;
  readonly service: string;
  /** Undefined: any source port. */
  readonly sourcePort?: number | undefined;
  /** Undefined: any application. */
  readonly application?: string | undefined;
  /** Undefined: any user. */
  readonly user?: string | undefined;
}

/** Flows with the same change and the same cause. */
export interface ReachRow {
  /** `opened`: the flows pass from now on. `closed`: they no longer pass. `redirected`: they reach another destination. */
  readonly change: "opened" | "closed" | "redirected";
  /** "object web: web-03 added", "rule web-to-db: new". */
  readonly cause: string;
  readonly was: DecidingRules;
  readonly now: DecidingRules;
  /** Destinations of passing flows, if NAT or routes are the cause: "web-02 (10.1.0.12) in dmz". */
  readonly reaches?: { readonly was?: string | undefined; readonly now?: string | undefined } | undefined;
  /** At least one of these must hold. Empty: certain. A flow with its own conditions uses those instead. */
  readonly conditions: readonly string[];
  /** The exact flows. Very long lists are cut. */
  readonly flows: readonly FlowWords[];
  /** Number of flows that `flows` omits. */
  readonly more: number;
  /** Present if the exact flows are too many to list. `flows` then contain them and more, and their `steps` are exact. */
  readonly except?: string | undefined;
}

export interface DecidingRules {
  readonly verdict: string;
  /** Top rule first. Very long lists are cut. */
  readonly rules: readonly { readonly name: string; readonly where: Where }[];
  readonly more: number;
}

/** A product of sets. Each is a complete list with as few names as possible, separated by `, `. `any` means every value. */
export interface FlowWords {
  readonly from: string;
  readonly to: string;
  readonly source: string;
  readonly destination: string;
  readonly service: string;
  /** Empty if the target does not distinguish applications. */
  readonly application: string;
  readonly user: string;
  /** The same sets as values. */
  readonly sets?: FlowSets | undefined;
  /** Present if flows of one row have different conditions. At least one of these must hold for this flow. */
  readonly conditions?: readonly string[] | undefined;
  /** Present if the sets contain more than the changed flows. The first step that contains a flow decides. No step: it does not change. */
  readonly steps?: readonly FlowStep[] | undefined;
}

/** Flows that change, or do not. */
interface FlowStep {
  readonly changes: boolean;
  readonly sets: FlowSets;
  /** One of these must hold. If none does, the next steps decide. Absent: certain. */
  readonly conditions?: readonly string[] | undefined;
}

/** The complete sets of a flow. `any` means every value. A range includes both ends. */
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
