import { compile } from "../../insight/compile.js";
import { type Difference, differenceOf } from "../../insight/difference.js";
import { type NewlyIdle, newlyIdle } from "../../insight/newly-idle.js";
import type { Policy } from "../../insight/policy.js";
import type { IdleRule, ReachRow, ScopeInsight } from "../../outcome/insight.js";
import { listed } from "../../outcome/listed.js";
import { AmbiguousNames } from "./ambiguous-names.js";
import { rowWords } from "./row-words.js";

/** Added and removed reachability between two versions of one rulebase. */
export function insightBetween(before: Policy, after: Policy): ScopeInsight {
  const model = compile([before, after]);
  const [one, other] = model.policies;
  if (one === undefined || other === undefined) throw new Error("two policies make two");
  const difference = differenceOf(model, one, other);
  const ambiguous = new AmbiguousNames([...before.rules, ...after.rules]);
  const rows = difference.rows.map((row) => rowWords(row, model, ambiguous));
  return {
    scope: after.scope,
    rules: after.rules.length,
    exact: difference.exact,
    rows: rows.sort(openedFirst),
    idle: newlyIdle(model, one, other).map(idleWords),
    notes: difference.notes.map(({ rule, before: was, after: is }) => `${rule.key.name}: ${was} becomes ${is}`),
    undecided: undecided(difference),
    doubts: difference.limits.filter(({ doubtful }) => doubtful).map(({ text }) => text),
    beside: difference.limits.filter(({ doubtful }) => !doubtful).map(({ text }) => text),
  };
}

const ORDER = { opened: 0, redirected: 1, closed: 2 };

export function openedFirst(a: ReachRow, b: ReachRow): number {
  return ORDER[a.change] - ORDER[b.change];
}

function idleWords(idle: NewlyIdle): IdleRule {
  const { kind, rule, isNew } = idle;
  const by = kind === "shadowed" ? idle.by.map(({ key, origin }) => ({ name: key.name, where: origin })) : [];
  return { kind, isNew, rule: rule.key.name, where: rule.origin, by };
}

function undecided({ undecided: given, coarse }: Difference): string[] {
  const names = [...new Set(given.map(({ rule }) => rule.key.name))];
  const up = names.length === 0 ? [] : [`It was given up what changes by ${listed(names)}: more may be reachable, or less.`];
  if (coarse.length === 0) return up;
  const rules = listed([...new Set(coarse.map(({ key }) => key.name))]);
  return [...up, `Too many unknown names stand in ${rules}: rows about them may be conditional without need.`];
}
