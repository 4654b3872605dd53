import { type ChangedFlows, firewallsWords, type Insight, type ScopeInsight } from "../outcome/insight.js";
import { flowText } from "./insight.js";

const SHOWN = 3;

/** What becomes reachable, a line a row, for messages that have no room for more. */
export function openedLines(insight: Insight | undefined): string[] {
  if (insight?.failure !== undefined) return [`What becomes reachable is not known: ${insight.failure}`];
  const rows = (insight?.scopes ?? []).flatMap((scope) =>
    scope.rows.filter(({ change }) => change === "opened").map((row) => rowLine(row, "lets in", scope)),
  );
  const translated = (insight?.scopes ?? []).flatMap((scope) =>
    (scope.translated ?? [])
      .filter(({ byRules }) => byRules !== "denied")
      .map((row) => rowLine(row, "translates", scope, ` (${row.now.verdict})`)),
  );
  const more = rows.length - SHOWN;
  return [
    ...rows.slice(0, SHOWN),
    ...(more > 0 ? [`and lets in ${more} more`] : []),
    ...translated.slice(0, SHOWN),
    ...(translated.length > SHOWN ? [`and translates ${translated.length - SHOWN} more`] : []),
  ];
}

/** The same in one line: `. It lets in …; lets in …`. */
export function openedWords(insight: Insight | undefined, subject: string): string {
  const lines = openedLines(insight);
  return lines.length === 0 ? "" : `. ${subject} ${lines.join("; ")}`;
}

function rowLine(
  { flows: [flow, ...others], more, conditions }: ChangedFlows,
  verb: string,
  { firewalls }: ScopeInsight,
  what = "",
): string {
  const hidden = others.length + more;
  const rest = hidden === 0 ? "" : ` and ${hidden} more ${hidden === 1 ? "set" : "sets"} of flows`;
  const condition = conditions.length === 0 ? "" : `, if ${conditions.join(", or ")}`;
  return `${verb} ${flow === undefined ? "flows" : flowText(flow)}${rest}${what}${condition}${firewalls === undefined ? "" : ` (${firewallsWords(firewalls)})`}`;
}
