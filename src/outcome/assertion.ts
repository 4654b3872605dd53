import type { Where } from "../core/errors.js";
import type { FlowWords, JudgedFirewall } from "./insight.js";

/** What is said of an assertion: `unknown` where only what is not known decides, or it was given up; `empty` where it asks about nothing. */
export type AssertionState = "holds" | "broken" | "unknown" | "empty";

/** One assertion, judged in one rulebase (docs/insight.md#assertions). */
export interface JudgedAssertion {
  readonly name: string;
  readonly description: string | undefined;
  /** Undefined of one that is of the configuration, and not of flows. */
  readonly verdict?: "allow" | "deny" | undefined;
  /** The rulebase, as a person calls it: `vsys1`. */
  readonly scope: string;
  /** Of a manager: the firewalls of the group of which this is so, the gravest that is so of one. */
  readonly firewalls?: readonly JudgedFirewall[] | undefined;
  /** How many firewalls of the group there are of which it is not. */
  readonly others?: number | undefined;
  /** Where it is written. */
  readonly where: Where;
  /** By the rules after the change; of drift by those that are in force. */
  readonly state: AssertionState;
  /** By the rules before the change; of drift by those that should be in force. The same where nothing changes. */
  readonly before: AssertionState;
  /** The change turned something against it: of a plan that plan, of drift whoever made the drift. */
  readonly isByChange: boolean;
  /** Why it is not known, or asks about nothing. */
  readonly why: readonly string[];
  /** Why what is not known may be let through all the same. */
  readonly accepted: string | undefined;
  readonly strict: boolean;
  /** Flows that are against it, or may be, with the rule that decides them. */
  readonly witness?: AssertionWitness | undefined;
  /** What stands in the configuration against it; of a house rule. */
  readonly selected?: SelectedNodes | undefined;
}

/** What an expression of a house rule selects. */
export interface SelectedNodes {
  readonly count: number;
  /** The first of them, those that the change brought before others, each with its XPath and, where a document declares it, its line. */
  readonly places: readonly Where[];
  /** Who last touched one of them, and when, where drift tells. */
  readonly admin?: string | undefined;
  readonly time?: string | undefined;
}

export interface AssertionWitness {
  readonly rule: { readonly name: string; readonly where: Where };
  readonly flow: FlowWords;
  /** What must hold of them; empty: nothing. */
  readonly condition: string;
  /** Who last touched the rule, and when, where drift tells. */
  readonly admin?: string | undefined;
  readonly time?: string | undefined;
}

/** How the assertions of a target stand by what is in force, as it is kept and shown. */
export interface StandingAssertions {
  readonly holding: number;
  /** The first of those that are not known to hold, the worst first. */
  readonly others: readonly StandingAssertion[];
  /** How many of them are not among the first. */
  readonly more: number;
}

interface StandingAssertion {
  readonly name: string;
  readonly state: AssertionState;
  /** What is not known may stay so. */
  readonly isSettled: boolean;
  /** Against which flows or places, by which rule, by whom. */
  readonly words: string;
  /** Where it is written. */
  readonly source?: { readonly file: string; readonly line: number } | undefined;
}

const GRAVITY: Readonly<Record<AssertionState, number>> = { empty: 3, broken: 2, unknown: 1, holds: 0 };

/** The higher, the worse. */
export function gravityOf(state: AssertionState): number {
  return GRAVITY[state];
}

/** True of an assertion that is as it should be, or that may be left as it is. */
export function isSettled({ state, accepted }: JudgedAssertion): boolean {
  return state === "holds" || (state === "unknown" && accepted !== undefined);
}
