import { groupBy } from "../../core/group-by.js";
import type { LintedRule } from "../../outcome/reach.js";
import { DEFAULT_LEVEL, type Policy } from "../flows/policy.js";
import type { RuleHits } from "../policy-target.js";

/** When a rule counts as unused. Times in milliseconds since 1970. */
export interface Unused {
  /** Not hit from here on. */
  readonly since: number;
}

/** Usage of the rules of a rulebase, by its hit counters. */
export interface UnusedRules {
  readonly findings: readonly LintedRule[];
  /** Rules without a counter, or with too young a counter. */
  readonly unknown: readonly string[];
}

/** Rules without hits since a time, if they were counted since then. Excludes default rules. */
export function unusedRules({ rules }: Policy, hits: readonly RuleHits[], { since }: Unused): UnusedRules {
  const findings: LintedRule[] = [];
  const unknown: string[] = [];
  const byRule = groupBy(hits, ({ rule }) => rule);
  for (const { key, origin } of rules) {
    if (key.level === DEFAULT_LEVEL) continue;
    // For two rules with the same name, the counters cannot be assigned.
    const counted = byRule.get(key.name) ?? [];
    if (counted.some(({ last }) => last !== undefined && last >= since)) continue;
    if (counted.length === 0 || counted.some((each) => !isCountedSince(each, since))) unknown.push(key.name);
    else findings.push({ kind: "unused", rule: key.name, where: origin, by: [], ...timesOf(counted) });
  }
  return { findings, unknown };
}

/** A rule that was hit before that was there before. */
function isCountedSince({ count, last, since: begin }: RuleHits, since: number): boolean {
  if (count === undefined) return false;
  return begin === undefined ? last !== undefined : begin <= since;
}

function timesOf(counted: readonly RuleHits[]): Pick<LintedRule, "lastHit" | "countedSince"> {
  const latest = (times: readonly (number | undefined)[]): string | undefined => {
    const known = times.filter((time) => time !== undefined);
    return known.length === 0 ? undefined : new Date(Math.max(...known)).toISOString();
  };
  return { lastHit: latest(counted.map(({ last }) => last)), countedSince: latest(counted.map(({ since }) => since)) };
}
