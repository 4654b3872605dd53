import { type CompiledPolicy, compile, type Model } from "../../insight/compile.js";
import { type Difference, differenceOf } from "../../insight/difference.js";
import type { IdleRule as NewlyIdle } from "../../insight/lint.js";
import { newlyIdle } from "../../insight/newly-idle.js";
import type { Policy } from "../../insight/policy.js";
import type { IdleRule, ReachRow, ScopeInsight } from "../../outcome/insight.js";
import { listed } from "./address-words.js";
import { rowWords } from "./row-words.js";

/** What becomes reachable, and what no more, between two versions of one rulebase. */
export function insightBetween(before: Policy, after: Policy): ScopeInsight {
  const model = compile([before, after]);
  const [one, other] = model.policies;
  if (one === undefined || other === undefined) throw new Error("two policies make two");
  const difference = differenceOf(model, one, other);
  const rows = difference.rows.map((row) => rowWords(row, model));
  return {
    scope: after.scope,
    rules: after.rules.length,
    rows: rows.sort(openedFirst),
    ...insightOfDifference(model, difference, [one, other]),
    beside: difference.limits.filter(({ doubtful }) => !doubtful).map(({ text }) => text),
  };
}

const ORDER = { opened: 0, closed: 1 };

export function openedFirst(a: ReachRow, b: ReachRow): number {
  return ORDER[a.change] - ORDER[b.change];
}

/** All but the rows. */
export function insightOfDifference(
  model: Model,
  difference: Difference,
  [before, after]: readonly [CompiledPolicy, CompiledPolicy],
): Pick<ScopeInsight, "exact" | "idle" | "notes" | "undecided" | "doubts"> {
  return {
    exact: difference.exact,
    idle: newlyIdle(model, before, after).map(idleWords),
    notes: difference.notes.map(({ rule, before: was, after: is }) => `${rule.key.name}: ${was} becomes ${is}`),
    undecided: undecided(difference),
    doubts: difference.limits.filter(({ doubtful }) => doubtful).map(({ text }) => text),
  };
}

function idleWords(idle: NewlyIdle): IdleRule {
  const { kind, rule } = idle;
  const by = kind === "shadowed" ? idle.by.map(({ key, origin }) => ({ name: key.name, where: origin })) : [];
  return { kind, rule: rule.key.name, where: rule.origin, by };
}

function undecided({ undecided: given, coarse }: Difference): string[] {
  const names = [...new Set(given.map(({ rule }) => rule.key.name))];
  const up = names.length === 0 ? [] : [`It was given up what changes by ${listed(names)}: more may be reachable, or less.`];
  if (coarse.length === 0) return up;
  const rules = listed([...new Set(coarse.map(({ key }) => key.name))]);
  return [...up, `Too many unknown names stand in ${rules}: rows about them may be conditional without need.`];
}
