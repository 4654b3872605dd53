import { firewallsWords, type Insight, type ScopeInsight } from "../../outcome/insight.js";
import { idleLines, movedText, remarks, rowText, standing, translatedText } from "../insight.js";
import { clip, codeSpan, prose } from "./text.js";

const LINE = 500;

/** Flows that pass from now on, a line each; `%` stands for the targets. */
export function openedNotices(insight: Insight | undefined): string[] {
  return (insight?.scopes ?? []).flatMap((scope) => [
    ...scope.rows
      .filter(({ change }) => change === "opened")
      .map((row) => `- 🔓 **becomes reachable** on %${whose(scope)}: ${rowProse(rowText(row))}`),
    ...(scope.translated ?? [])
      .filter(({ byRules }) => byRules !== "denied")
      .map((row) => `- 🔀 **is translated otherwise** on %${whose(scope)}: ${rowProse(translatedText(row))}`),
  ]);
}

/** The rest of what a change lets through and stops. */
export function insightNotes(insight: Insight | undefined): string[] {
  if (insight === undefined) return [];
  if (insight.failure !== undefined) return [`- **what becomes reachable is not known** ${prose(insight.failure)}`];
  return insight.scopes.flatMap(scopeNotes);
}

/** ` (6 firewalls: fw-a, fw-b …)` of a manager. */
function whose({ firewalls }: ScopeInsight): string {
  return firewalls === undefined ? "" : ` (${prose(firewallsWords(firewalls))})`;
}

function scopeNotes(scope: ScopeInsight): string[] {
  const of = whose(scope);
  const closed = scope.rows
    .filter(({ change }) => change === "closed")
    .map((row) => `- **no more reachable**${of} ${rowProse(rowText(row))}`);
  const translated = (scope.translated ?? [])
    .filter(({ byRules }) => byRules === "denied")
    .map((row) => `- **is translated otherwise**${of} ${rowProse(translatedText(row))}`);
  const moved = (scope.moved ?? []).map((move) => `- **another zone**${of} ${codeSpan(clip(unsigned(movedText(move)), LINE))}`);
  const idle = idleLines(scope).map((text) => `- **a rule does nothing**${of} ${prose(text)}`);
  const said = remarks(scope).map((text) => `- **reachability**${of} ${prose(text)}`);
  const nothing = [scope.rows, scope.undecided, scope.translated ?? [], scope.moved ?? []].every(({ length }) => length === 0)
    ? [`- **reachability**${of} ${scope.exact ? "" : "by what is known "}nothing changes (${standing(scope)})`]
    : [];
  return [...closed, ...translated, ...moved, ...nothing, ...idle, ...said];
}

const unsigned = (line: string): string => line.replace(/^(?:[+-] \w+|~ translated|~ another zone)\s+/, "");

function rowProse(text: readonly string[]): string {
  const [first = "", ...rest] = text.map(unsigned);
  return `${codeSpan(clip(first, LINE))} ${rest.map((line) => codeSpan(clip(line, LINE))).join(" · ")}`;
}
