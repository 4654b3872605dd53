import { type Edit, formatFirewalls, type Insight, type ScopeInsight, type SummaryRow } from "../../outcome/insight.js";
import { hiddenRows, idleLines, remarks, rowText, shownEdits, summaryLine } from "../insight.js";
import { clip, codeSpan, prose } from "./text.js";

const LINE = 500;

const FIRST = { opened: "🔓 **becomes reachable**", redirected: "↪️ **has another destination**" } as const;

/** Returns one line for each opened or redirected row. `%` is the placeholder for the targets. */
export function openedNotices(insight: Insight | undefined): string[] {
  return (insight?.scopes ?? []).flatMap((scope) =>
    shownEdits(scope).flatMap(({ edit, rows, by }) =>
      rows.flatMap((row) =>
        row.change === "closed" ? [] : [`- ${FIRST[row.change]} on %${firewallsText(scope)}: ${rowProse(row, edit, by)}`],
      ),
    ),
  );
}

/** Returns the other effects of a change on reachability. */
export function insightNotes(insight: Insight | undefined): string[] {
  if (insight === undefined) return [];
  if (insight.failure !== undefined) return [`- **what becomes reachable is not known** ${prose(insight.failure)}`];
  return insight.scopes.flatMap(scopeNotes);
}

/** Returns ` (6 firewalls: fw-a, fw-b …)` for a manager. */
function firewallsText({ firewalls }: ScopeInsight): string {
  return firewalls === undefined ? "" : ` (${prose(formatFirewalls(firewalls))})`;
}

function scopeNotes(scope: ScopeInsight): string[] {
  const of = firewallsText(scope);
  const closed = shownEdits(scope).flatMap(({ edit, rows, by }) =>
    rows.filter(({ change }) => change === "closed").map((row) => `- **no longer reachable**${of} ${rowProse(row, edit, by)}`),
  );
  const hidden = hiddenRows(scope);
  return [
    `- **reachability**${of} ${prose(summaryLine(scope))}`,
    ...closed,
    ...(hidden === undefined ? [] : [`- **reachability**${of} ${prose(hidden)}`]),
    ...idleLines(scope).map((text) => `- **rule without effect**${of} ${prose(text)}`),
    ...remarks(scope).map((text) => `- **reachability**${of} ${prose(text)}`),
  ];
}

function rowProse(row: SummaryRow, edit: Edit, by: string): string {
  const [first = "", ...rest] = [...rowText(row, edit), by].map((line) => line.replace(/^[+~-] /, ""));
  return `${codeSpan(clip(first, LINE))} ${rest.map((line) => codeSpan(clip(line, LINE))).join(" · ")}`;
}
