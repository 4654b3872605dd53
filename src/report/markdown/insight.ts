import { firewallsWords, type Insight, type ReachRow, type ScopeInsight } from "../../outcome/insight.js";
import { idleLines, remarks, rowText, standing } from "../insight.js";
import { clip, codeSpan, prose } from "./text.js";

const LINE = 500;

const FIRST = { opened: "🔓 **becomes reachable**", redirected: "↪️ **comes to another place**" } as const;

/** Returns one line for each set of opened or redirected flows. `%` is the placeholder for the targets. */
export function openedNotices(insight: Insight | undefined): string[] {
  return (insight?.scopes ?? []).flatMap((scope) =>
    scope.rows.flatMap((row) => (row.change === "closed" ? [] : [`- ${FIRST[row.change]} on %${whose(scope)}: ${rowProse(row)}`])),
  );
}

/** Returns the other effects of a change on reachability. */
export function insightNotes(insight: Insight | undefined): string[] {
  if (insight === undefined) return [];
  if (insight.failure !== undefined) return [`- **what becomes reachable is not known** ${prose(insight.failure)}`];
  return insight.scopes.flatMap(scopeNotes);
}

/** Returns ` (6 firewalls: fw-a, fw-b …)` for a manager. */
function whose({ firewalls }: ScopeInsight): string {
  return firewalls === undefined ? "" : ` (${prose(firewallsWords(firewalls))})`;
}

function scopeNotes(scope: ScopeInsight): string[] {
  const of = whose(scope);
  const others = scope.rows.filter(({ change }) => change === "closed").map((row) => `- **no more reachable**${of} ${rowProse(row)}`);
  const idle = idleLines(scope).map((text) => `- **a rule does nothing**${of} ${prose(text)}`);
  const said = remarks(scope).map((text) => `- **reachability**${of} ${prose(text)}`);
  const nothing =
    scope.rows.length === 0 && scope.undecided.length === 0
      ? [`- **reachability**${of} ${scope.exact ? "" : "by what is known "}nothing changes (${standing(scope)})`]
      : [];
  return [...others, ...nothing, ...idle, ...said];
}

function rowProse(row: ReachRow): string {
  const [first = "", ...rest] = rowText(row).map((line) => line.replace(/^[+~-] \w+\s+/, ""));
  return `${codeSpan(clip(first, LINE))} ${rest.map((line) => codeSpan(clip(line, LINE))).join(" · ")}`;
}
