import { formatWhere } from "../../core/errors.js";
import { reasonsNotInSync } from "../../outcome/in-sync.js";
import type { Command, TargetOutcome } from "../../outcome/outcome.js";
import type { Traffic } from "../../outcome/traffic.js";
import { assertionSentence, assertionSummary, unsettled } from "../assertions.js";
import { auditSentence } from "../audit.js";
import { checkNotes } from "../checks.js";
import { firewallNotes, formatOthersWork, levelNotes, pushNotes, waveNotes } from "../firewalls.js";
import { count, ledgerNote } from "../format-counts.js";
import { sortedRows, trafficFlow, trafficLimits, trafficRemarks, trafficRowText, trafficSummary } from "../traffic.js";
import { insightNotes, openedNotices } from "./insight.js";
import { listed } from "./names.js";
import { clip, codeSpan, prose } from "./text.js";

const LINE = 500;

const PATH = 300;
/** Reasons of a target's status that no other part of the comment shows. */
const NOTED: ReadonlySet<string> = new Set(["unread", "observed", "undelivered", "paused", "narrowed"]);

/** Returns notes for the reviewer of one target, in addition to its changes: warnings, findings, pending work. */
export function notesOf(outcome: TargetOutcome): string[] {
  const { plan, drift, applied, audit, hasCommit, warnings } = outcome;
  const notes = warnings.map((warning) => `- **warning** ${prose(warning)}`);
  notes.push(...statusNotes(outcome));
  for (const { kind, message, path } of [...(plan?.findings ?? []), ...(drift?.findings ?? [])])
    notes.push(`- **${kind}** ${prose(message)} ${codeSpan(clip(path.toString(), PATH))}`);
  for (const finding of audit?.findings ?? []) {
    const what = audit === undefined ? "" : auditSentence(finding, audit);
    notes.push(`- **${finding.kind}** network ${codeSpan(clip(finding.network, PATH))}: ${prose(what)}`);
  }
  notes.push(...insightNotes(outcome.insight), ...trafficNotes(outcome.traffic), ...assertionNotes(outcome));
  for (const { what, text } of checkNotes(outcome)) notes.push(`- **${what}** ${prose(text)}`);
  for (const text of levelNotes(outcome)) notes.push(`- **levels** ${prose(text)}`);
  for (const text of firewallNotes(outcome.firewalls)) notes.push(`- **firewalls** ${prose(text)}`);
  if (plan?.others !== undefined) notes.push(`- **pushed** ${prose(formatOthersWork(plan.others))}`);
  for (const text of waveNotes(plan?.waves, outcome.firewalls)) notes.push(`- **pushed** ${prose(text)}`);
  for (const text of pushNotes(outcome.pushed)) notes.push(`- **pushed** ${prose(text)}`);
  const pending = drift?.pending ?? plan?.foreign ?? [];
  if (pending.length > 0)
    notes.push(`- **uncommitted** ${count(pending.length, "change")} by ${listed([...new Set(pending.map(({ owner }) => owner))])}`);
  if (plan?.commitOnly) notes.push("- **a commit is due**: there is nothing to write");
  const ledger = ledgerNote(outcome);
  if (ledger !== undefined) notes.push(`- ${ledger}`);
  if (applied !== undefined && (applied.operations > 0 || applied.commit === "committed"))
    notes.push(
      `- **applied** ${count(applied.operations, "operation")}${hasCommit === false ? "" : applied.commit === "committed" ? ", committed" : ", not committed"}${applied.proven ? ", verified" : ""}`,
    );
  return notes;
}

function statusNotes(outcome: TargetOutcome): string[] {
  return reasonsNotInSync(outcome)
    .filter(({ reason }) => NOTED.has(reason))
    .map(({ reason, message, xpath = "" }) =>
      `- **${reason}** ${prose(message)} ${xpath === "" ? "" : codeSpan(clip(xpath, PATH))}`.trimEnd(),
    );
}

/**
 * Returns the notices above all folds: errors, refusals, assertions that do not hold, sessions that would be stopped, opened flows and
 * changes of permissions. Each appears once, with its targets.
 */
export function noticesOf(outcomes: readonly TargetOutcome[], command: Command): string[] {
  const errors = new Map<string, string[]>();
  const refusals = new Map<string, string[]>();
  const meanings = new Map<string, string[]>();
  const asserted = new Map<string, string[]>();
  const opened = new Map<string, string[]>();
  const stopped = new Map<string, string[]>();
  const add = (to: Map<string, string[]>, key: string, target: string) => {
    const targets = to.get(key);
    if (targets === undefined) to.set(key, [target]);
    else targets.push(target);
  };
  for (const outcome of outcomes) {
    const { target, error, plan, drift, insight, traffic } = outcome;
    if (error !== undefined) {
      const { target: _, ...where } = error.where;
      const at = formatWhere(where);
      const words = [
        `- ⛔ **${error.severity === "partial" ? "partly applied" : error.severity}** on %: ${prose(error.message)} (${codeSpan(error.code)})`,
        at === "" ? "" : `at ${codeSpan(clip(at, PATH))}.`,
        error.next === undefined ? "" : prose(error.next),
      ];
      add(errors, words.filter((word) => word !== "").join(" "), target);
    }
    for (const { guard, message, allow } of [...(plan?.refusals ?? []), ...(drift?.refusals ?? [])])
      add(
        refusals,
        `- ⛔ **refused: ${guard}** on %: ${prose(message)}${allow === undefined ? "" : ` To override once: ${codeSpan(clip(allow, PATH))}`}`,
        target,
      );
    for (const line of assertionNotices(outcome, command)) add(asserted, line, target);
    for (const line of openedNotices(insight)) add(opened, line, target);
    for (const line of trafficNotices(traffic)) add(stopped, line, target);
    for (const { message } of plan?.meaning ?? []) add(meanings, `- ⚠️ **changes access** on %: ${prose(message)}`, target);
  }
  return [errors, refusals, asserted, stopped, opened, meanings].flatMap((group) =>
    [...group].map(([line, targets]) => line.replace("%", () => listed(targets))),
  );
}

/** Returns one line for each assertion that does not hold. `%` is the placeholder for the targets. */
function assertionNotices(outcome: TargetOutcome, command: Command): string[] {
  return unsettled(outcome).map((judged) => `- 📌 **assertion** on %: ${prose(assertionSentence(judged, command))}`);
}

/** Returns the summary of the assertions. */
function assertionNotes({ assertions = [] }: TargetOutcome): string[] {
  return assertions.length === 0 ? [] : [`- **assertions** ${prose(assertionSummary(assertions))}`];
}

/** Returns a line about sessions that were allowed and would be blocked. `%` is the placeholder for the targets. */
function trafficNotices(traffic: Traffic | undefined): string[] {
  return (traffic?.scopes ?? []).flatMap((scope) => {
    const closed = sortedRows(scope).filter(({ change }) => change === "closed");
    const lines = closed.map((row) => codeSpan(clip(trafficFlow(row), LINE)));
    return scope.closed === 0 ? [] : [`- 🛑 **would stop ${count(scope.closed, "session")} that passed** on %: ${lines.join(" · ")}`];
  });
}

/** Returns one line for each effect on logged sessions. */
function trafficNotes(traffic: Traffic | undefined): string[] {
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
