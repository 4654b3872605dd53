import type { Where } from "../core/errors.js";
import type { FlowWords, JudgedFirewall } from "./insight.js";

/** Decisions of one rulebase about the flows of a query. */
export interface Reach {
  readonly scope: string;
  /** For a manager: the firewalls with these decisions. */
  readonly firewalls?: readonly JudgedFirewall[] | undefined;
  /** In the order of the rules. */
  readonly answers: readonly ReachAnswer[];
  readonly doubts: readonly string[];
  readonly beside: readonly string[];
}

export interface ReachAnswer {
  readonly verdict: string;
  /** Action in the target's terms: `reset-client`. */
  readonly action: string;
  readonly rule: string;
  readonly where: Where;
  /** At least one of these must hold. Empty: certain for some flows. A flow with its own conditions uses those instead. */
  readonly conditions: readonly string[];
  readonly flows: readonly FlowWords[];
  /** True if `flows` contains one example of many flows. */
  readonly isExample: boolean;
  /** True if the analysis gave up on whether the rule decides any of these flows. */
  readonly undecided: boolean;
}

/** The ways that one flow may take through a firewall, as its sender sends it. */
export interface FlowPath {
  readonly scope: string;
  /** For a manager: the firewalls with these ways. */
  readonly firewalls?: readonly JudgedFirewall[] | undefined;
  readonly ways: readonly (Way & Pick<Reach, "answers">)[];
  readonly doubts: readonly string[];
  readonly beside: readonly string[];
}

/** Entry of a flow, its translation, and its exit. */
export interface Way {
  /** All of these must hold. Empty: certain. */
  readonly conditions: readonly string[];
  /** Undefined if not known. */
  readonly from?: Door | undefined;
  /** Routers between the networks: `router inside  10.2.0.0/24`. */
  readonly via?: readonly string[] | undefined;
  readonly translation?: Translation | undefined;
  readonly to?: Door | undefined;
  /** Destination address after NAT. */
  readonly reaches?: string | undefined;
  /** Why the flow ends before the rules: it is not forwarded, or its way is unknown. */
  readonly ends?: string | undefined;
  /** Notes. */
  readonly beside?: readonly string[] | undefined;
  /** Reasons why the way may be wrong. */
  readonly doubts?: readonly string[] | undefined;
}

export interface Door {
  readonly zone: string;
  /** Undefined if only the zone was given. */
  readonly interface?: string | undefined;
  /** Route to the interface: `10.0.0.0/8 of default`. */
  readonly route?: string | undefined;
  /** Next hop. Undefined if the destination is directly connected. */
  readonly nextHop?: string | undefined;
}

/** The NAT rule that matches a flow. It may translate nothing. */
export interface Translation {
  readonly rule: string;
  readonly where: Where;
  /** Source address after NAT: `198.51.100.1`, `the address of ethernet1/1`. */
  readonly source?: string | undefined;
  /** Destination after NAT: `10.0.1.5`, `10.0.1.5:8443`. */
  readonly destination?: string | undefined;
  /** Destination port, if NAT changes it. */
  readonly port?: number | undefined;
}

/** Rules without effect. */
export interface Lint {
  readonly scope: string;
  /** For a manager: the firewalls with these findings. */
  readonly firewalls?: readonly JudgedFirewall[] | undefined;
  readonly rules: number;
  readonly findings: readonly LintedRule[];
  /** Findings that documents accept but that do not exist. */
  readonly unneeded?: readonly { readonly name: string; readonly rule: string }[] | undefined;
  /** Rules that were checked for use, without a result. */
  readonly uncounted?: readonly string[] | undefined;
}

export interface LintedRule {
  readonly kind: "matches-nothing" | "shadowed" | "redundant" | "undecided" | "unused" | "expired" | "expires-soon";
  readonly rule: string;
  /** For a rule with an end date: its last day (yyyy-mm-dd). */
  readonly until?: string | undefined;
  /** Member that ends before its rule: `web-03 in source`. */
  readonly member?: string | undefined;
  readonly where: Where;
  /** For an unused rule (ISO 8601): its last session, and the start of the count. Undefined if not known. */
  readonly lastHit?: string | undefined;
  readonly countedSince?: string | undefined;
  /** Acceptance by an item of `assert:`, with its reason and its last day (yyyy-mm-dd). After that day the finding counts again. */
  readonly accepted?: { readonly name: string; readonly reason: string; readonly until: string; readonly isOver: boolean } | undefined;
  /** Rules that decide all its flows. */
  readonly by: readonly { readonly name: string; readonly where: Where }[];
}

/** Returns true if the finding is not accepted, or its acceptance has expired. An end in the next days is only announced. */
export function counts({ kind, accepted }: LintedRule): boolean {
  if (kind === "expires-soon") return false;
  return accepted === undefined || accepted.isOver;
}
