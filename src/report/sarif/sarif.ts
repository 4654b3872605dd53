import { createHash } from "node:crypto";
import { printJson } from "../../core/json/print.js";
import type { Path } from "../../core/tree/path.js";
import { version } from "../../core/version.js";
import { type NotInSync, reasonsNotInSync } from "../../outcome/in-sync.js";
import type { Command, TargetOutcome } from "../../outcome/outcome.js";
import type { Change, Finding } from "../../plan/diff/change.js";
import { differencesOf } from "../../plan/model.js";
import { assertionSentence, unsettled } from "../assertions.js";
import { auditSentence } from "../audit.js";
import { difference, inline } from "../describe.js";
import { movesIn, positionAfter } from "../sections.js";
import { insightResults } from "./insight.js";
import { placeOfError, type SarifPlace, sarifPlace } from "./location.js";
import { type Level, ruleOf } from "./rules.js";

export interface Result {
  readonly ruleId: string;
  readonly level: Level;
  readonly message: string;
  readonly place: SarifPlace;
  /** Identifies the result without lines and values, so that the next run has the same identity. */
  readonly subject: string;
}

/** Maximum number of results. Code hosts accept 25,000 in a run and show 5,000. */
const MOST_RESULTS = 5_000;
const MOST_TEXT = 4_000;
const LEVELS: readonly Level[] = ["error", "warning", "note"];

/**
 * Renders SARIF 2.1.0 for code hosts: each change, finding, refusal and error at the YAML line that declares it. The most severe results
 * come first. If there are more than a host shows, a notification contains the number of omitted results.
 */
export function renderSarif(command: Command, outcomes: readonly TargetOutcome[]): string {
  const all = outcomes.flatMap((outcome) => resultsOf(command, outcome));
  const sorted = LEVELS.flatMap((level) => all.filter((result) => result.level === level));
  const results = sorted.slice(0, MOST_RESULTS);
  const levels = new Map(results.map(({ ruleId, level }) => [ruleId, level]));
  const rules = [...levels].sort(([a], [b]) => (a < b ? -1 : 1)).map(([id, level]) => ruleOf(id, level));
  const indexes = new Map(rules.map(({ id }, index) => [id, index]));
  const left = all.length - results.length;
  const notices = [
    ...(left > 0 ? [warning(`${left} more results are omitted; see the text report.`)] : []),
    ...outcomes.flatMap((outcome) =>
      reasonsNotInSync(outcome)
        .filter(isOnlyNotified)
        .map((reason) => warning(noticeOf(outcome, reason))),
    ),
    ...omittedNotice(outcomes),
  ];
  const log = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "plumbline", semanticVersion: version, rules } },
        columnKind: "utf16CodeUnits",
        invocations: [
          {
            executionSuccessful: outcomes.every(({ error }) => error === undefined),
            ...(notices.length > 0 ? { toolExecutionNotifications: notices } : {}),
          },
        ],
        results: results.map((result) => sarifResult(result, indexes.get(result.ruleId) ?? 0)),
      },
    ],
  };
  return `${printJson(log, 2)}\n`;
}

function warning(text: string) {
  return { level: "warning", message: { text } };
}

const ONLY_NOTIFIED: ReadonlySet<string> = new Set(["unread", "undelivered", "paused", "narrowed", "no-ledger", "open"]);

/** Reasons that appear in no result: a result would be an alert, and alerts outside a narrowed run would be closed. */
function isOnlyNotified({ reason }: NotInSync): boolean {
  return ONLY_NOTIFIED.has(reason);
}

function noticeOf({ target }: TargetOutcome, { reason, message, xpath }: NotInSync): string {
  return `${target}: not in sync, ${reason}: ${message}${xpath === undefined ? "" : ` (${xpath})`}`;
}

function omittedNotice(outcomes: readonly TargetOutcome[]) {
  const omitted = outcomes[0]?.targetsOmitted ?? 0;
  return omitted === 0 ? [] : [warning(`${omitted} other targets were not compared (--target).`)];
}

function sarifResult({ ruleId, level, message, place, subject }: Result, ruleIndex: number) {
  const region = { startLine: Math.max(1, place.line), ...(place.column === undefined ? {} : { startColumn: Math.max(1, place.column) }) };
  return {
    ruleId,
    ruleIndex,
    level,
    message: { text: message.length <= MOST_TEXT ? message : `${message.slice(0, MOST_TEXT)}…` },
    locations: [{ physicalLocation: { artifactLocation: { uri: place.uri }, region } }],
    partialFingerprints: { "plumbline/v1": createHash("sha256").update(`${ruleId}\n${subject}`).digest("hex") },
  };
}

function resultsOf(command: Command, outcome: TargetOutcome): Result[] {
  const { plan, drift, error, sources, target } = outcome;
  const at = (origin: number) => sarifPlace(outcome, sources?.locate(origin));
  const changes =
    command === "drift"
      ? (drift?.items.map((item) => item.change) ?? [])
      : [...differencesOf(plan), ...(plan?.observed === undefined ? [] : plan.observed.changes)];
  const nearest = new NearestOrigin(changes);
  const results = changes.map((change): Result => {
    const origin = originOf(change);
    return {
      ruleId: `${command}/${change.kind}`,
      level: "note",
      message: `${target}: ${sentence(change)}`,
      place: at(origin === -1 ? nearest.to(change.path) : origin),
      subject: `${target} ${change.path}`,
    };
  });
  const findings = findingsOf(outcome);
  for (const { kind, refuses, message, path, origin } of findings)
    results.push({
      ruleId: `finding/${kind}`,
      level: refuses ? "error" : "warning",
      message: `${target}: ${message} (${path})`,
      place: at(origin),
      subject: `${target} ${path}`,
    });
  // A refusing finding is already a result.
  const found = new Set(findings.map(({ kind, message }) => `${kind} ${message}`));
  const refusals = [...(plan?.refusals ?? []), ...(drift?.refusals ?? [])];
  for (const { guard, message, path, origin = -1 } of refusals.filter((refusal) => !found.has(`${refusal.guard} ${refusal.message}`)))
    results.push({
      ruleId: `refused/${guard}`,
      level: "error",
      message: `${target}: ${message}`,
      place: at(origin >= 0 || path === undefined ? origin : nearest.to(path)),
      subject: `${target} ${path ?? ""}`,
    });
  results.push(...insightResults(command, outcome), ...assertionResults(command, outcome));
  for (const finding of outcome.audit?.findings ?? [])
    results.push({
      ruleId: `audit/${finding.kind}`,
      level: "warning",
      message: `${target}: network ${finding.network}: ${outcome.audit === undefined ? "" : auditSentence(finding, outcome.audit)}`,
      place: at(-1),
      subject: `${target} ${finding.id} ${finding.field ?? ""}`,
    });
  if (error !== undefined)
    results.push({
      ruleId: `error/${error.code}`,
      level: "error",
      message: `${target}: ${error.message}${error.next === undefined ? "" : ` ${error.next}`}`,
      place: placeOfError(outcome, error),
      subject: `${target} ${error.where.xpath ?? ""}`,
    });
  return results;
}

function findingsOf({ plan, drift }: TargetOutcome): readonly Finding[] {
  return [...(plan?.findings ?? []), ...(plan?.observed?.findings ?? []), ...(drift?.findings ?? [])];
}

/** Finds the best line for a path that no line declares: a change in the same list or container, otherwise -1. */
class NearestOrigin {
  readonly #byPath = new Map<string, number>();

  constructor(changes: readonly Change[]) {
    for (const change of changes) {
      const origin = originOf(change);
      if (origin === -1) continue;
      for (const path of [change.path, change.path.parent]) {
        if (path === undefined || path.depth < 2) continue;
        const key = path.toString();
        if (!this.#byPath.has(key)) this.#byPath.set(key, origin);
      }
    }
  }

  to(path: Path): number {
    const parent = path.parent;
    return this.#byPath.get(path.toString()) ?? (parent === undefined ? -1 : (this.#byPath.get(parent.toString()) ?? -1));
  }
}

function originOf(change: Change): number {
  return change.kind === "missing" || change.kind === "differs" || change.kind === "renamed" ? change.after.origin : -1;
}

function sentence(change: Change): string {
  switch (change.kind) {
    case "missing":
      return `to create ${change.path}${change.follows === undefined ? "" : ` ${positionAfter(change.follows)}`}: ${inline(change.after)}`;
    case "extra":
      return `to delete ${change.path}`;
    case "differs":
      return `to change ${change.path}: ${difference(change.before, change.after)
        .map((line) => `${line.mark} ${line.text}`)
        .join(", ")}`;
    case "order":
      return `to reorder ${change.path}: ${movesIn(change).join(", ")}`;
    case "unmanaged":
      return `${change.path} is an unmanaged ${change.ofCreate === undefined ? "rule" : "object"}: no document declares it`;
    case "renamed":
      return `to rename ${change.from} to ${change.to} at ${change.path}`;
  }
}

/** Returns the assertions that do not hold, at the line that declares them. */
function assertionResults(command: Command, outcome: TargetOutcome): Result[] {
  return unsettled(outcome).map((judged): Result => {
    const { name, scope, state, isByChange, strict, where } = judged;
    const { file, line = 1, column = 1 } = where;
    return {
      ruleId: `assertion/${state}`,
      level: isByChange || strict || state === "empty" ? "error" : "warning",
      message: `${outcome.target} ${scope}: ${assertionSentence(judged, command)}`,
      place: sarifPlace(outcome, file === undefined ? undefined : { file, line, column }),
      subject: `${outcome.target} ${scope} ${name}`,
    };
  });
}
