import { groupBy } from "../../core/group-by.js";
import type { LintedRule } from "../../outcome/reach.js";
import { DEFAULT_LEVEL, type Policy } from "../flows/policy.js";
import type { FirewallRuleHits, RuleHits } from "../policy-target.js";

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

/** A rule of a manager, with the firewalls that have it. */
export interface SpreadRule {
  readonly level: string;
  readonly name: string;
  readonly firewalls: readonly { readonly serial: string; readonly vsys?: string | undefined }[];
}

/** Use of a rule on all firewalls that have it. `unknown`: some did not count it for the complete time. */
export type SpreadUse = "used" | "unknown" | Pick<LintedRule, "lastHit" | "countedSince">;

/** Returns whether a rule is unused on every firewall that has it. */
export function useOnFirewalls({ level, name, firewalls }: SpreadRule, hits: readonly FirewallRuleHits[], { since }: Unused): SpreadUse {
  const counted = firewalls.map(({ serial, vsys = "vsys1" }) =>
    hits.find((each) => each.level === level && each.rule === name && each.serial === serial && each.vsys === vsys),
  );
  if (counted.some((each) => each?.last !== undefined && each.last >= since)) return "used";
  if (counted.length === 0 || counted.some((each) => each === undefined || !isCountedSince(each, since))) return "unknown";
  return timesOf(counted.flatMap((each) => each ?? []));
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
