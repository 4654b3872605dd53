import type { Where } from "../core/errors.js";
import type { FlowWords, JudgedFirewall } from "./insight.js";

/** What one rulebase makes of the flows of a question. */
export interface Reach {
  readonly scope: string;
  /** Of a manager: the firewalls that answer so. */
  readonly firewalls?: readonly JudgedFirewall[] | undefined;
  /** In the order of the rules. */
  readonly answers: readonly ReachAnswer[];
  readonly doubts: readonly string[];
  readonly beside: readonly string[];
}

export interface ReachAnswer {
  readonly verdict: string;
  /** The target's own word: `reset-client`. */
  readonly action: string;
  readonly rule: string;
  readonly where: Where;
  /** One of these must hold; empty: some flows are certain. A flow with conditions of its own has those instead. */
  readonly conditions: readonly string[];
  readonly flows: readonly FlowWords[];
  /** True: `flows` is one flow of many. */
  readonly isExample: boolean;
  /** It was given up whether the rule decides any of these flows. */
  readonly undecided: boolean;
}

/** The ways that one flow may take through a firewall, as its sender sends it. */
export interface FlowPath {
  readonly scope: string;
  /** Of a manager: the firewalls that answer so. */
  readonly firewalls?: readonly JudgedFirewall[] | undefined;
  readonly ways: readonly (Way & Pick<Reach, "answers">)[];
  readonly doubts: readonly string[];
  readonly beside: readonly string[];
}

/** By which door a flow comes in, what is translated of it, and by which door it leaves. */
export interface Way {
  /** All of these must hold; empty: it is certain. */
  readonly conditions: readonly string[];
  /** Undefined where it is not known. */
  readonly from?: Door | undefined;
  /** What brings it from one network to the next in between: `router inside  10.2.0.0/24`. */
  readonly via?: readonly string[] | undefined;
  readonly translation?: Translation | undefined;
  readonly to?: Door | undefined;
  /** The address that it comes to, after NAT. */
  readonly reaches?: string | undefined;
  /** Why nobody asks the rules any more: it goes no further, or nobody knows where. */
  readonly ends?: string | undefined;
  /** What is said beside it. */
  readonly beside?: readonly string[] | undefined;
  /** What may make it wrong. */
  readonly doubts?: readonly string[] | undefined;
}

export interface Door {
  readonly zone: string;
  /** Undefined where only the zone was said. */
  readonly interface?: string | undefined;
  /** What leads there: `10.0.0.0/8 of default`. */
  readonly route?: string | undefined;
  /** Who is handed it there; undefined where it is handed to its destination. */
  readonly nextHop?: string | undefined;
}

/** The NAT rule that a flow meets. It may translate nothing. */
export interface Translation {
  readonly rule: string;
  readonly where: Where;
  /** What the other side sees as source: `198.51.100.1`, `the address of ethernet1/1`. */
  readonly source?: string | undefined;
  /** Where it goes: `10.0.1.5`, `10.0.1.5:8443`. */
  readonly destination?: string | undefined;
  /** The port that it goes to, where that becomes another. */
  readonly port?: number | undefined;
}

/** What is said of rules that do nothing. */
export interface Lint {
  readonly scope: string;
  /** Of a manager: the firewalls of which it is so. */
  readonly firewalls?: readonly JudgedFirewall[] | undefined;
  readonly rules: number;
  readonly findings: readonly LintedRule[];
  /** Rules that documents accept as findings and that are none. */
  readonly unneeded?: readonly { readonly name: string; readonly rule: string }[] | undefined;
  /** Rules of which it was asked whether they are unused, and nobody knows. */
  readonly uncounted?: readonly string[] | undefined;
}

export interface LintedRule {
  readonly kind: "matches-nothing" | "shadowed" | "redundant" | "undecided" | "unused";
  readonly rule: string;
  readonly where: Where;
  /** Of one that is unused, as ISO 8601: its last session, and since when there is a count; undefined where that is not known. */
  readonly lastHit?: string | undefined;
  readonly countedSince?: string | undefined;
  /** That documents accept it: by which item of `assert:`, why, and until which day (yyyy-mm-dd); once that is over it counts again. */
  readonly accepted?: { readonly name: string; readonly reason: string; readonly until: string; readonly isOver: boolean } | undefined;
  /** Rules that leave nothing for it. */
  readonly by: readonly { readonly name: string; readonly where: Where }[];
}

/** Whether somebody has to look at it: nobody accepts it, or not any more. */
export function counts({ accepted }: LintedRule): boolean {
  return accepted === undefined || accepted.isOver;
}
