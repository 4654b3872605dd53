import type { Path } from "../core/tree/path.js";
/** End date of a rule, or of one of its members, as a description states it (docs/access-requests.md#end-of-life). */
export interface RuleEnd {
  /** Rulebase: `vsys1`, `shared`. */
  readonly scope: string;
  readonly kind: "rule" | "address group" | "security group" | "network policy";
  /** Name of the rule or group. */
  readonly name: string;
  readonly xpath: string;
  /** Last day, yyyy-mm-dd. */
  readonly until: string;
  /** Member that ends. Undefined: the complete rule. */
  readonly member: { readonly list: string; readonly name: string } | undefined;
  readonly isDisabled: boolean;
}

/** An end date with the path of the rule, group or policy. */
export interface RuleEndAt extends RuleEnd {
  readonly path: Path;
}

/** Returns the ends of rules that are enabled and have ended or end soon, the earliest first. */
export function nearEnds(ends: readonly RuleEnd[], today: string): readonly RuleEnd[] {
  const near = ends.filter((end) => !end.isDisabled && endState(end, today) !== "later");
  return near.sort((a, b) => (a.until < b.until ? -1 : a.until > b.until ? 1 : 0));
}

/** Days before the last day from which an end is announced. */
export const SOON = 7;

/** State of an end date: `expired` from the day after the last day. */
export function endState({ until }: Pick<RuleEnd, "until">, today: string): "expired" | "soon" | "later" {
  if (until < today) return "expired";
  return daysUntil(until, today) <= SOON ? "soon" : "later";
}

/** Returns the number of days until a last day. Negative: it is over. Days are yyyy-mm-dd. */
export function daysUntil(until: string, today: string): number {
  return Math.round((Date.parse(`${until}T00:00:00Z`) - Date.parse(`${today}T00:00:00Z`)) / 86_400_000);
}

/** Returns what ends: `web-to-db`, `web-03 in source of web-to-db`. */
export function endingText({ kind, name, member }: RuleEnd): string {
  const of = kind === "rule" ? name : `${kind} ${name}`;
  return member === undefined ? of : `${member.name} in ${member.list} of ${of}`;
}
