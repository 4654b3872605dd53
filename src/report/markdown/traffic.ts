import type { Traffic } from "../../outcome/traffic.js";
import { count } from "../format-counts.js";
import { sortedRows, trafficFlow, trafficLimits, trafficRemarks, trafficRowText, trafficSummary } from "../traffic.js";
import { clip, codeSpan, prose } from "./text.js";

const LINE = 500;

/** Returns a line about sessions that were allowed and would be blocked. `%` is the placeholder for the targets. */
export function trafficNotices(traffic: Traffic | undefined): string[] {
  return (traffic?.scopes ?? []).flatMap((scope) => {
    const closed = sortedRows(scope).filter(({ change }) => change === "closed");
    const lines = closed.map((row) => codeSpan(clip(trafficFlow(row), LINE)));
    return scope.closed === 0 ? [] : [`- 🛑 **would stop ${count(scope.closed, "session")} that passed** on %: ${lines.join(" · ")}`];
  });
}

/** Returns one line for each effect on logged sessions. */
export function trafficNotes(traffic: Traffic | undefined): string[] {
  if (traffic === undefined) return [];
  if (traffic.failure !== undefined) return [`- **traffic was not replayed** ${prose(traffic.failure)}`];
  const notes = traffic.scopes.flatMap((scope) => [
    `- **traffic** since ${traffic.backTo ?? traffic.since}, ${prose(scope.scope)}: ${trafficSummary(scope)}`,
    ...sortedRows(scope).map(
      (row) =>
        `  - ${trafficRowText(row)
          .map((line) => codeSpan(clip(line, LINE)))
          .join(" · ")}`,
    ),
    ...trafficRemarks(scope).map((text) => `  - ${prose(text)}`),
  ]);
  if (notes.length === 0) notes.push(`- **traffic** since ${traffic.since}: no session was logged`);
  return [...notes, ...trafficLimits(traffic).map((text) => `- **traffic** ${prose(text)}`)];
}
