import { firewallsWords, type Insight, type ReachRow, type ScopeInsight } from "../outcome/insight.js";
import { flowText } from "./insight.js";

const SHOWN = 3;

/** Returns one short line for each set of opened or redirected flows, for messages with little space. */
export function openedLines(insight: Insight | undefined): string[] {
  if (insight?.failure !== undefined) return [`What becomes reachable is not known: ${insight.failure}`];
  const rows = (insight?.scopes ?? []).flatMap((scope) =>
    scope.rows.filter(({ change }) => change !== "closed").map((row) => rowLine(row, scope)),
  );
  const more = rows.length - SHOWN;
  return [...rows.slice(0, SHOWN), ...(more > 0 ? [`and lets in, or sends elsewhere, ${more} more`] : [])];
}

/** Returns the same in one line: `. It lets in …; lets in …`. */
export function openedWords(insight: Insight | undefined, subject: string): string {
  const lines = openedLines(insight);
  return lines.length === 0 ? "" : `. ${subject} ${lines.join("; ")}`;
}

function rowLine({ change, reaches, flows: [flow, ...others], more, conditions }: ReachRow, { firewalls }: ScopeInsight): string {
  const arePaired = [flow, ...others].some((each) => each?.conditions !== undefined);
  const hidden = others.length + more;
  const rest = hidden === 0 ? "" : ` and ${hidden} more ${hidden === 1 ? "set" : "sets"} of flows`;
  const place = reaches?.now === undefined ? "" : ` to ${reaches.now}`;
  return `${change === "opened" ? "lets in" : "sends elsewhere"} ${flow === undefined ? "flows" : flowText(flow)}${rest}${place}${conditions.length === 0 || arePaired ? "" : `, if ${conditions.join(", or ")}`}${firewalls === undefined ? "" : ` (${firewallsWords(firewalls)})`}`;
}
