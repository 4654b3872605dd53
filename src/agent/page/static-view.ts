import { version } from "../../core/version.js";
import { reasonsNotInSync, refusalsIn } from "../../outcome/in-sync.js";
import { levelsOf } from "../../outcome/levels.js";
import type { TargetOutcome } from "../../outcome/outcome.js";
import { formatTime } from "../../plan/diff/change.js";
import { currentAssertions } from "../../report/assertions.js";
import { targetView } from "../../report/json.js";
import { reachableOf } from "../store/from-outcome.js";
import { auditView } from "./audits.js";
import { type FleetRow, type FleetState, newRow, packRow, seconds } from "./fleet-row.js";
import type { DriftView, PlanView, StaticView, TargetView } from "./view.js";

/** Drift and plan of one target. */
export interface DriftAndPlan {
  readonly mode: string;
  readonly drift: TargetOutcome;
  /** Undefined if no plan was made. */
  readonly plan: TargetOutcome | undefined;
}

export interface StaticInput {
  readonly passes: readonly DriftAndPlan[];
  /** Undefined if there is nothing to compare. */
  readonly audit: readonly TargetOutcome[] | undefined;
  readonly commit: string | undefined;
  readonly source: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Returns all data of the page from the outcomes of one run. It uses the views of the JSON report, in which secrets are labels. */
export function staticView({ passes, audit, commit = "", source, now }: StaticInput): StaticView {
  const targets = passes.map((each) => [each.drift.target, targetOf(each, now, commit)] as const);
  const meta = { version, commit, source, pauses: [], alarms: [], hasAudit: audit !== undefined };
  return {
    fleet: { now: seconds(now), meta, rows: targets.map(([, { row }]) => row) },
    targets: Object.fromEntries(targets),
    audit: audit === undefined ? undefined : auditView(audit, now),
  };
}

function targetOf(passes: DriftAndPlan, now: number, commit: string): TargetView {
  const { drift, plan } = passes;
  const { error, drift: found, warnings } = targetView(drift);
  const planned = plan === undefined ? undefined : targetView(plan).plan;
  const reachable = plan && reachableOf(plan);
  const json = planned === undefined ? undefined : { ...(planned as unknown as PlanView), reachable };
  const asserted = currentAssertions(drift);
  const levels = levelsOf(drift);
  return {
    row: packRow(rowOf(passes, now)),
    drift: (found?.items ?? []).map(driftView),
    assertions: asserted === undefined || asserted === null ? undefined : { ...asserted, judged: seconds(now), commit },
    levels: levels === undefined ? undefined : { seen: seconds(now), all: levels },
    plan: planned === undefined ? undefined : { planned: seconds(now), digest: planned.digest, json },
    pass:
      error === undefined
        ? { at: seconds(now), outcome: rowOf(passes, now).state, summary: "", commit }
        : { at: seconds(now), outcome: "failed", summary: error.message, commit, error },
    hold: undefined,
    warnings,
    may: [],
    seenBy: "",
  };
}

function rowOf({ mode, drift, plan }: DriftAndPlan, now: number): FleetRow {
  const items = drift.drift?.items ?? [];
  const refusals = [...refusalsIn(drift), ...(plan === undefined ? [] : refusalsIn(plan))];
  const [open] = [drift, ...(plan === undefined ? [] : [plan])].flatMap((outcome) => reasonsNotInSync(outcome));
  const error = drift.error ?? plan?.error;
  const state: FleetState =
    error !== undefined
      ? error.severity === "refused"
        ? "refused"
        : "failed"
      : refusals.length > 0
        ? "refused"
        : items.length > 0
          ? "drifted"
          : open !== undefined
            ? "pending"
            : "in-sync";
  return {
    ...newRow(drift.target, { kind: drift.kind, mode }),
    state,
    drifts: items.length,
    who: [...new Set(items.flatMap(({ attribution }) => attribution?.admin ?? []))].sort().join(", "),
    checked: seconds(now),
    note: error?.message ?? refusals[0]?.message ?? (items.length > 0 ? "" : (open?.message ?? "")),
  };
}

function driftView(item: NonNullable<ReturnType<typeof targetView>["drift"]>["items"][number]): DriftView {
  const { attribution, ...view } = item;
  return { ...view, author: attribution?.admin, authorTime: formatTime(attribution?.time) };
}
