import type { Where } from "../core/errors.js";
import type { FlowWords, JudgedFirewall } from "./insight.js";

/** Result of an assertion. `unknown`: only unknown values decide, or the analysis gave up. `empty`: the assertion selects no flows. */
export type AssertionState = "holds" | "broken" | "unknown" | "empty";

/** One assertion, judged in one rulebase (docs/insight.md#assertions). */
export interface JudgedAssertion {
  readonly name: string;
  readonly description: string | undefined;
  /** Undefined for an assertion about the configuration instead of flows. */
  readonly verdict?: "allow" | "deny" | undefined;
  /** Display name of the rulebase: `vsys1`. */
  readonly scope: string;
  /** For a manager: the firewalls of the group with this result. The worst result of the group is reported. */
  readonly firewalls?: readonly JudgedFirewall[] | undefined;
  /** Number of firewalls of the group with another result. */
  readonly others?: number | undefined;
  /** Place of the assertion in the documents. */
  readonly where: Where;
  /** Result for the rules after the change. For drift: result for the running rules. */
  readonly state: AssertionState;
  /** Result for the rules before the change. For drift: result for the desired rules. Equal to `state` if nothing changes. */
  readonly before: AssertionState;
  /** True if the change broke the assertion: the plan, or the changes that caused the drift. */
  readonly isByChange: boolean;
  /** Why the result is unknown or empty. */
  readonly why: readonly string[];
  /** Reason for which the documents accept an unknown result. */
  readonly accepted: string | undefined;
  readonly strict: boolean;
  /** Flows that break the assertion, or may break it, with the rule that decides them. */
  readonly witness?: AssertionWitness | undefined;
  /** Nodes of the configuration that break a house rule. */
  readonly selected?: SelectedNodes | undefined;
}

/** Nodes that the expression of a house rule selects. */
export interface SelectedNodes {
  readonly count: number;
  /** The first nodes, those from the change before others. Each has its XPath and, if a document declares it, its line. */
  readonly places: readonly Where[];
  /** Last author and time of a change to one of the nodes. Only for drift, if known. */
  readonly admin?: string | undefined;
  readonly time?: string | undefined;
}

export interface AssertionWitness {
  readonly rule: { readonly name: string; readonly where: Where };
  readonly flow: FlowWords;
  /** Condition for these flows. Empty: unconditional. */
  readonly condition: string;
  /** Last author and time of a change to the rule. Only for drift, if known. */
  readonly admin?: string | undefined;
  readonly time?: string | undefined;
}

/** Assertions of a target, judged by the running rules, in the form that is stored and shown. */
export interface CurrentAssertions {
  readonly holding: number;
  /** The first assertions that do not hold or are unknown, the worst first. */
  readonly others: readonly CurrentAssertion[];
  /** Number of further ones. */
  readonly more: number;
}

interface CurrentAssertion {
  readonly name: string;
  readonly state: AssertionState;
  /** True if an unknown result is accepted. */
  readonly isSettled: boolean;
  /** The flows or places that break it, with their rule and author. */
  readonly words: string;
  /** Place of the assertion in the documents. */
  readonly source?: { readonly file: string; readonly line: number } | undefined;
}

const GRAVITY: Readonly<Record<AssertionState, number>> = { empty: 3, broken: 2, unknown: 1, holds: 0 };

/** Higher values are worse. */
export function gravityOf(state: AssertionState): number {
  return GRAVITY[state];
}

/** Returns true if the assertion holds, or if its unknown result is accepted. */
export function isSettled({ state, accepted }: JudgedAssertion): boolean {
  return state === "holds" || (state === "unknown" && accepted !== undefined);
}
