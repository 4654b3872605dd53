import { formatFirewalls, type Insight, type ScopeInsight, type SummaryRow } from "../outcome/insight.js";
import { flowText } from "./insight.js";

const SHOWN = 3;

/** Returns one short line for each opened or redirected row, for messages with little space. */
export function openedLines(insight: Insight | undefined): string[] {
  if (insight?.failure !== undefined) return [`What becomes reachable is not known: ${insight.failure}`];
  const rows = (insight?.scopes ?? []).flatMap((scope) =>
    scope.edits.flatMap((edit) => edit.rows.filter(({ change }) => change !== "closed").map((row) => rowLine(row, scope))),
  );
  const more = rows.length - SHOWN;
  return [...rows.slice(0, SHOWN), ...(more > 0 ? [`and ${more} more openings`] : [])];
}

/** Returns the same in one line: `. It allows …; allows …`. */
export function formatOpenedFlows(insight: Insight | undefined, subject: string): string {
  const lines = openedLines(insight);
  return lines.length === 0 ? "" : `. ${subject} ${lines.join("; ")}`;
}

function rowLine({ change, reaches, flow, parts, conditions }: SummaryRow, { firewalls }: ScopeInsight): string {
  const verb = change === "opened" ? "allows" : "redirects";
  const some = parts === 1 ? "" : ", in part";
  const place = reaches?.now === undefined ? "" : ` to ${reaches.now}`;
  const when = conditions.length === 0 ? "" : `, if ${conditions.join(", or ")}`;
  return `${verb} ${flowText(flow)}${some}${place}${when}${firewalls === undefined ? "" : ` (${formatFirewalls(firewalls)})`}`;
}
