import type { HistoryEntry } from "../../outcome/history.js";
import { reasonsNotInSync } from "../../outcome/in-sync.js";
import type { TargetOutcome } from "../../outcome/outcome.js";
import { formatPushProgress, type PushCourse } from "../../outcome/push-course.js";
import type { AgentEvent, KnownDrift, Waiting } from "../events.js";
import type { DriftTotal } from "../store/store.js";

/** Worst state first. `new`: no pass has ended yet. */
export const STATES = ["failed", "refused", "drifted", "pending", "in-sync", "new"] as const;
export type FleetState = (typeof STATES)[number];

/** One target in the overview; server and browser share this file. Times are seconds since 1970 UTC. */
export interface FleetRow {
  readonly name: string;
  readonly kind: string;
  readonly mode: string;
  /** Labels for filters, one per line: `site=zurich`, and `group=core` for each group. */
  readonly labels: string;
  readonly state: FleetState;
  /** Number of open drift items. */
  readonly drifts: number;
  /** Number of changes of a commit that is not applied yet. They are not drift. */
  readonly pending: number;
  /** Time of the oldest open drift, or of the first failure or refusal. 0 if unknown. */
  readonly since: number;
  /** Authors of the drift, for example `alice, bob +1`. Empty if the platform does not name them. */
  readonly who: string;
  /** End of the last pass. 0 if there was none. */
  readonly checked: number;
  /** Why the target failed, was refused or is on hold. Empty otherwise. */
  readonly note: string;
}

/** A row without data. Packed rows have their fields in this order. */
const NOTHING_KNOWN: FleetRow = {
  name: "",
  kind: "",
  mode: "",
  labels: "",
  state: "new",
  drifts: 0,
  pending: 0,
  since: 0,
  who: "",
  checked: 0,
  note: "",
};
const FIELDS = Object.keys(NOTHING_KNOWN) as readonly (keyof FleetRow)[];

/** A row as sent to the browser. Field names are omitted to save bytes, and a state is its index. */
export type PackedRow = readonly [name: string, ...rest: (string | number)[]];

export function packRow(row: FleetRow): PackedRow {
  const [, ...rest] = FIELDS.map((field) => (field === "state" ? STATES.indexOf(row.state) : row[field]));
  return [row.name, ...rest];
}

/** Reverses `packRow`. */
export function unpackRow(packed: PackedRow): FleetRow {
  const row = Object.fromEntries(FIELDS.map((field, at) => [field, packed[at]])) as unknown as FleetRow;
  return { ...row, state: STATES[Number(row.state)] ?? "new" };
}

const NOTE = 160;

/** Returns a row with only the settings of `plumbline.yaml`. */
export function newRow(name: string, { kind, mode, labels = "" }: { kind: string; mode: string; labels?: string }): FleetRow {
  return { ...NOTHING_KNOWN, name, kind, mode, labels };
}

/** Returns whether a pass failed or was refused. If a commit is pending after the pass, the reason for that counts too. */
export function faultOf(pass: HistoryEntry | undefined): "failed" | "refused" | undefined {
  return FAULTS[pass?.outcome ?? ""] ?? FAULTS[waitingOf(pass)?.held ?? ""];
}

/**
 * Returns the row of a target from its newest pass and its open drift in the store.
 *
 * @param faultSince When the target began to fail or to be refused, in milliseconds since 1970. The newest pass if undefined.
 */
export function rememberedRow(
  row: FleetRow,
  latest: HistoryEntry | undefined,
  total: DriftTotal | undefined,
  faultSince = latest?.at,
): FleetRow {
  const drifts = total?.count ?? 0;
  const fault = faultOf(latest);
  const { isEqual, pending = 0 } = rememberedPass(latest);
  const isBehind = latest !== undefined && !isEqual;
  const state: FleetState = fault ?? (drifts > 0 ? "drifted" : isBehind ? "pending" : latest === undefined ? "new" : "in-sync");
  return {
    ...row,
    state,
    drifts,
    pending,
    since: seconds(fault !== undefined && fault === row.state ? row.since * 1000 : fault !== undefined ? faultSince : total?.oldest),
    who: whoOf(total?.authors ?? [], total?.authorCount ?? 0),
    checked: seconds(latest?.ended ?? latest?.at),
    note: fault === undefined && !isBehind ? "" : noteOf(whyNotInSync(latest)),
  };
}

/** Returns whether a target was equal after a finished pass, and how many changes were pending (undefined: not known). */
export function rememberedPass(entry: HistoryEntry | undefined): { readonly isEqual: boolean; readonly pending: number | undefined } {
  const waiting = waitingOf(entry);
  if (waiting !== undefined) return { isEqual: false, pending: waiting.changes };
  const isDone = EQUAL.has(entry?.outcome ?? "");
  return { isEqual: isDone && typeof entry?.detail.behind !== "string", pending: isDone ? 0 : undefined };
}

function whyNotInSync(latest: HistoryEntry | undefined): string {
  const { reason, behind } = latest?.detail ?? {};
  return typeof reason === "string" ? reason : typeof behind === "string" ? behind : (latest?.summary ?? "");
}

/** Outcomes after which the target is in sync, unless there is drift. A pass is skipped only if nothing has changed. */
const EQUAL: ReadonlySet<string> = new Set(["in-sync", "applied", "skipped"]);

/** Faults by the outcome of a pass, or by the reason why a commit is pending. */
const FAULTS: Readonly<Record<string, "failed" | "refused">> = {
  failed: "failed",
  partial: "failed",
  retrying: "failed",
  "retries-spent": "failed",
  refused: "refused",
};

function waitingOf(latest: HistoryEntry | undefined): { readonly changes: number; readonly held: string } | undefined {
  const waiting = latest?.detail.waiting;
  if (typeof waiting !== "object" || waiting === null || !("changes" in waiting)) return undefined;
  return { changes: Number(waiting.changes), held: "held" in waiting ? String(waiting.held) : "" };
}

/** Returns the row after an event of its target. */
export function rowAfter(row: FleetRow, event: AgentEvent): FleetRow {
  switch (event.type) {
    case "pass-ended":
      return afterPass(row, event);
    case "held":
      return { ...row, note: noteOf(event.message), ...(event.reason === "refused" ? stateSince(row, "refused", event.time) : {}) };
    case "released":
      return { ...row, note: "" };
    case "push-moved":
      return whilePushing(row, event.course);
    case "apply-failed":
      return { ...row, note: noteOf(event.error.message), ...stateSince(row, "failed", event.time) };
    default:
      return row;
  }
}

/** Returns the row of a manager during or after a push. */
export function whilePushing(row: FleetRow, course: PushCourse): FleetRow {
  return { ...row, note: noteOf(`${course.ended === undefined ? "pushing" : "pushed"}: ${formatPushProgress(course)}`) };
}

function afterPass(row: FleetRow, event: Extract<AgentEvent, { type: "pass-ended" }>): FleetRow {
  const { result, drift, outcome, time, waiting } = event;
  const checked = seconds(time);
  if (result === "skipped") return { ...row, checked };
  const seen = outcome?.drift?.areCausesUnknown === true ? { checked } : { ...driftOf(drift), checked };
  if (waiting !== undefined) return whileStopped(row, event, waiting);
  if (result === "failed" || result === "refused") {
    return { ...row, ...seen, ...stateSince(row, result, time), note: noteOf(outcome?.error?.message ?? reasonIn(outcome) ?? row.note) };
  }
  if (result === "held") {
    // The pass read nothing. The commit is still pending, so the target is not in sync.
    return drift.length > 0 ? { ...row, ...seen, state: "drifted" } : { ...row, ...seen, ...stateSince(row, "pending", time) };
  }
  const done = { ...row, ...seen, pending: 0, note: "" };
  const open = reasonIn(outcome);
  if (done.drifts === 0 && open !== undefined) return { ...done, note: noteOf(open), ...stateSince(row, "pending", time) };
  return done.drifts > 0 ? { ...done, state: "drifted" } : { ...done, state: "in-sync", since: 0 };
}

function reasonIn(outcome: TargetOutcome | undefined): string | undefined {
  return outcome === undefined ? undefined : reasonsNotInSync(outcome)[0]?.message;
}

/** Returns the row after a drift check or a heal while a commit is pending. The state of the commit stays, and drift is counted. */
function whileStopped(
  row: FleetRow,
  { result, drift, time, outcome }: Extract<AgentEvent, { type: "pass-ended" }>,
  waiting: Waiting,
): FleetRow {
  const checked = seconds(time);
  const { since, ...seen } = outcome?.drift?.areCausesUnknown === true ? row : driftOf(drift);
  const counted = { ...row, ...seen, pending: waiting.changes, checked };
  const fault = result === "failed" ? "failed" : FAULTS[waiting.held ?? ""];
  if (fault !== undefined) return { ...counted, ...stateSince(row, fault, time) };
  return counted.drifts > 0 ? { ...counted, state: "drifted", since } : { ...counted, ...stateSince(row, "pending", time) };
}

function driftOf(drift: readonly KnownDrift[]): Pick<FleetRow, "drifts" | "since" | "who"> {
  const admins = new Set(drift.flatMap(({ item }) => item.attribution?.admin ?? []));
  const oldest = drift.reduce((least, { firstSeen }) => Math.min(least, firstSeen), Number.POSITIVE_INFINITY);
  const names = [...admins].sort();
  const some = names.length > 2 ? [names[0] ?? "", names.at(-1) ?? ""] : names;
  return { drifts: drift.length, since: drift.length === 0 ? 0 : seconds(oldest), who: whoOf(some, admins.size) };
}

function stateSince(row: FleetRow, state: "failed" | "refused" | "pending", time: number): Pick<FleetRow, "state" | "since"> {
  return { state, since: row.state === state && row.since > 0 ? row.since : seconds(time) };
}

function whoOf(some: readonly string[], count: number): string {
  const more = count - some.length;
  return more > 0 ? `${some.join(", ")} +${more}` : some.join(", ");
}

function noteOf(text: string): string {
  return text.length <= NOTE ? text : `${text.slice(0, NOTE - 1)}…`;
}

export function seconds(milliseconds: number | undefined): number {
  return milliseconds === undefined ? 0 : Math.round(milliseconds / 1000);
}
