import type { IdleRule, ReachRow, ScopeInsight } from "../../outcome/insight.js";
import { listed } from "../../outcome/shorten-list.js";
import type { Bounds } from "../flows/budget.js";
import { compile } from "../flows/compile.js";
import { type Difference, differenceOf } from "../flows/difference.js";
import { type NewlyIdle, newlyIdle } from "../flows/newly-idle.js";
import type { Policy } from "../flows/policy.js";
import type { Row } from "../flows/rows.js";
import { AmbiguousNames } from "../format/ambiguous-names.js";
import { withDistinctNames } from "../format/rule-names.js";
import { editOf } from "./format-edit.js";
import { formatRow } from "./format-row.js";
import { dependenciesOf, editSummaries, type Ranked, summarize } from "./summary.js";

/** Rows that NAT and routes cause, in short form. */
interface OtherRows {
  readonly summaries: readonly Ranked[];
  readonly rows: readonly Row[];
}

/** Added and removed reachability between two versions of one rulebase. */
export function insightBetween(
  former: Policy,
  next: Policy,
  others: OtherRows = { summaries: [], rows: [] },
  bounds: Bounds = {},
): ScopeInsight {
  const [before, after] = withDistinctNames([former, next] as const);
  const model = compile([before, after]);
  const [one, other] = model.policies;
  if (one === undefined || other === undefined) throw new Error("two policies make two");
  const difference = differenceOf(model, one, other, bounds);
  const ambiguous = new AmbiguousNames([...before.rules, ...after.rules]);
  const rows = difference.rows.map((row) => formatRow(row, model, ambiguous));
  const summarized = difference.rows.map((row, at) => ({ row, edit: editOf(row.cause), texts: rows[at] as ReachRow }));
  return {
    scope: after.scope,
    rules: after.rules.length,
    exact: difference.exact,
    rows: rows.sort(openedFirst),
    edits: editSummaries([...summarize(summarized, model, model, ambiguous), ...others.summaries]),
    dependsOn: dependenciesOf([...difference.rows, ...others.rows]),
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
  const by = kind === "shadowed" ? idle.by : [];
  return { kind, isNew, rule: rule.key.name, where: rule.origin, by: by.map(({ key, origin }) => ({ name: key.name, where: origin })) };
}

function undecided({ undecided: given, coarse }: Difference): string[] {
  const names = [...new Set(given.map(({ rule }) => rule.key.name))];
  const up = names.length === 0 ? [] : [`The analysis of ${listed(names)} was stopped: more or fewer flows may be reachable.`];
  if (coarse.length === 0) return up;
  const rules = listed([...new Set(coarse.map(({ key }) => key.name))]);
  return [...up, `${rules} name too many unknowns: the rows about them may have needless conditions.`];
}
