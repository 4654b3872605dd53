import type { SourceMap } from "../../desired/source-map.js";
import { formatUnfinished } from "../../outcome/format-unfinished.js";
import { isInSync, reasonsNotInSync } from "../../outcome/in-sync.js";
import { levelsOf } from "../../outcome/levels.js";
import { isBehind } from "../../outcome/managed-firewalls.js";
import { outcomeCode, type TargetOutcome } from "../../outcome/outcome.js";
import { differencesOf, type Plan } from "../../plan/model.js";
import { currentAssertions } from "../../report/assertions.js";
import { errorView } from "../../report/error-view.js";
import { insightLines } from "../../report/insight.js";
import { changeView, targetView } from "../../report/json.js";
import type { DriftRecord, PassEnd, PassOutcome, PlanRecord } from "./store.js";

/** Maximum number of characters of a stored plan in JSON. */
const PLAN = 4_194_304;

export interface PassEndOptions {
  readonly ended: number;
  readonly durations: Readonly<Record<string, number>>;
  /** Value of `--path`. Only this path was read. */
  readonly only?: string | undefined;
}

/** Converts an outcome for the store. It uses the views of the JSON report, in which secrets are labels. */
export function passEnd(outcome: TargetOutcome, { ended, durations, only }: PassEndOptions): PassEnd {
  const { plan, applied, error } = outcome;
  const report = targetView(outcome);
  const operations = plan?.operations.slice(0, applied?.operations ?? (isUndone(outcome) ? undefined : 0)) ?? [];
  return {
    ended,
    outcome: wordOf(outcome),
    exitCode: outcomeCode(outcome),
    reason: error?.message ?? reasonOf(outcome),
    behind: formatUnfinished(outcome),
    unmanaged: only === undefined ? outcome.unmanaged?.count : undefined,
    levels: only === undefined ? levelsOf(outcome) : undefined,
    durations,
    plan: plan === undefined ? undefined : planRecord(plan, { ...report.plan, reachable: reachableOf(outcome) }),
    operations: operations.map(({ operation, phase }) => ({
      action: operation.action,
      path: operation.at.toString(),
      phase,
      acknowledged: ended,
    })),
    job: jobOf(outcome),
    refusals: plan?.refusals.map(({ guard, message, path }) => ({ guard, message, path: path?.toString() })),
    drift: driftSeen(outcome, only),
    asserted: only === undefined ? currentAssertions(outcome) : undefined,
    error: error === undefined ? undefined : errorView(error),
  };
}

/** Returns why a target without an error is not in sync, if that is neither a difference nor a commit that is open (`behind`). */
function reasonOf(outcome: TargetOutcome): string | undefined {
  return reasonsNotInSync(outcome).find(({ reason }) => reason !== "differs" && reason !== "open")?.message;
}

/** Returns whether a commit was rolled back because its checks failed. The device has received all operations, but none remain. */
function isUndone({ watch }: TargetOutcome): boolean {
  return watch !== undefined && watch.decision !== "confirmed";
}

function jobOf(outcome: TargetOutcome): PassEnd["job"] {
  const { applied, watch } = outcome;
  if (watch !== undefined && isUndone(outcome)) {
    const lines = [`committed, then: ${watch.reason ?? ""}`, ...watch.left.map(({ xpath, why }) => `stays: ${xpath} (${why})`)];
    return { job: undefined, result: watch.decision, lines };
  }
  return applied === undefined || applied.commit === "none"
    ? undefined
    : { job: applied.job, result: applied.commit, lines: applied.lines };
}

function wordOf(outcome: TargetOutcome): PassOutcome {
  const { applied, firewalls } = outcome;
  const wrote = applied !== undefined && (applied.operations > 0 || applied.commit === "committed");
  switch (outcomeCode(outcome)) {
    case 0:
      return wrote ? "applied" : isInSync(outcome) ? "in-sync" : "pending";
    case 1:
      return "failed";
    case 2:
      return wrote && isBehind(firewalls) && (outcome.plan?.remaining.length ?? 0) === 0 ? "applied" : "pending";
    case 3:
      return "refused";
    case 4:
      return "partial";
  }
}

/** Returns the drift that the pass read. A verified apply found no drift. */
function driftSeen({ drift, applied, plan, sources }: TargetOutcome, only: string | undefined): PassEnd["drift"] {
  const isAll = plan === undefined || (plan.leftOut.length === 0 && plan.remaining.length === 0);
  if (applied?.proven === true && isAll) return { items: [], only };
  if (drift === undefined) return undefined;
  return { items: drift.items.map((item) => driftRecord(item, sources)), only };
}

function driftRecord(
  { change, attribution }: NonNullable<TargetOutcome["drift"]>["items"][number],
  sources: SourceMap | undefined,
): DriftRecord {
  return {
    path: change.path.toString(),
    change: change.kind,
    author: attribution?.admin,
    authorTime: attribution?.time,
    view: changeView(change, sources, undefined),
  };
}

/** Returns the flows that the plan permits and blocks, as in the text report, for the page. */
export function reachableOf({ insight }: TargetOutcome): readonly string[] | undefined {
  if (insight === undefined) return undefined;
  const lines = insightLines(insight, "plan", (_, text) => text).map((line) => line.replace(/^ {2}/, ""));
  const more = lines.length - REACHABLE;
  return more > 0 ? [...lines.slice(0, REACHABLE), `and ${more} more lines: plumbline plan has them all`] : lines;
}

/** Maximum number of lines on the page. */
const REACHABLE = 100;

function planRecord(plan: Plan, view: unknown): PlanRecord {
  const changes: Record<string, number> = {};
  for (const { kind } of differencesOf(plan)) changes[kind] = (changes[kind] ?? 0) + 1;
  const json = JSON.stringify(view);
  return {
    digest: plan.digest,
    changes,
    operations: plan.operations.length,
    refusals: plan.refusals.length,
    commitOnly: plan.commitOnly,
    json: json.length <= PLAN ? json : undefined,
  };
}
