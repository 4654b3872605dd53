import type { HistoryEntry } from "../../outcome/history.js";
import { reasonsNotInSync } from "../../outcome/in-sync.js";
import type { TargetOutcome } from "../../outcome/outcome.js";
import { courseWords, type PushCourse } from "../../outcome/push-course.js";
import type { AgentEvent, KnownDrift, Waiting } from "../events.js";
import type { DriftTotal } from "../store/store.js";

/** Worst first. `new`: never looked at. */
const STATES = ["failed", "refused", "drifted", "pending", "in-sync", "new"] as const;
export type FleetState = (typeof STATES)[number];

/** One target in the overview; server and browser share this file. Times are seconds since 1970 UTC. */
export interface FleetRow {
  readonly name: string;
  readonly kind: string;
  readonly mode: string;
  /** What it is chosen by, a line each: `site=zurich`, and `group=core` for each of its groups. */
  readonly labels: string;
  readonly state: FleetState;
  /** Open drift. */
  readonly drifts: number;
  /** What differs because a commit waits: nobody's doing, and no drift. */
  readonly pending: number;
  /** When it left its state: the oldest open drift, or when it began to fail; 0 where that is not known. */
  readonly since: number;
  /** Who caused the drift, `alice, bob +1` where there are more; empty where the platform cannot tell. */
  readonly who: string;
  /** The end of the last pass; 0 for never. */
  readonly checked: number;
  /** Why it failed, was refused, or is left alone; empty otherwise. */
  readonly note: string;
}

/** A row before anything is known. Fields travel in this order. */
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

/** A row as it travels: names of fields would be most of the bytes. A state is its place among them. */
export type PackedRow = readonly [name: string, ...rest: (string | number)[]];

export function packRow(row: FleetRow): PackedRow {
  const [, ...rest] = FIELDS.map((field) => (field === "state" ? STATES.indexOf(row.state) : row[field]));
  return [row.name, ...rest];
}

/** The row that `packRow` packed. */
export function unpackRow(packed: PackedRow): FleetRow {
  const row = Object.fromEntries(FIELDS.map((field, at) => [field, packed[at]])) as unknown as FleetRow;
  return { ...row, state: STATES[Number(row.state)] ?? "new" };
}

const NOTE = 160;

/** A row that only tells what `plumbline.yaml` says of the target. */
export function newRow(name: string, { kind, mode, labels = "" }: { kind: string; mode: string; labels?: string }): FleetRow {
  return { ...NOTHING_KNOWN, name, kind, mode, labels };
}

/** Returns how a pass ended badly, or undefined. Passes that a commit waits after count as what the commit waits for. */
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
  const outcome = latest?.outcome;
  const waiting = waitingOf(latest);
  const fault = faultOf(latest);
  const behind = latest?.detail.behind;
  const isBehind =
    (waiting !== undefined && outcome !== "applied") || typeof behind === "string" || (latest !== undefined && !EQUAL.has(outcome ?? ""));
  const state: FleetState = fault ?? (drifts > 0 ? "drifted" : isBehind ? "pending" : latest === undefined ? "new" : "in-sync");
  return {
    ...row,
    state,
    drifts,
    pending: waiting?.changes ?? 0,
    since: seconds(fault !== undefined && fault === row.state ? row.since * 1000 : fault !== undefined ? faultSince : total?.oldest),
    who: whoOf(total?.authors ?? [], total?.authorCount ?? 0),
    checked: seconds(latest?.ended ?? latest?.at),
    note: fault === undefined && !isBehind ? "" : noteOf(whyNotInSync(latest)),
  };
}

/** Returns what a finished pass says of its target: whether it is equal, and how many changes wait (undefined: not known). */
export function rememberedPass(entry: HistoryEntry | undefined): { readonly isEqual: boolean; readonly pending: number | undefined } {
  const waiting = waitingOf(entry);
  const isDone = entry !== undefined && EQUAL.has(entry.outcome ?? "");
  const pending = waiting !== undefined && entry?.outcome !== "applied" ? waiting.changes : isDone ? 0 : waiting?.changes;
  return { isEqual: isDone && (pending ?? 0) === 0 && waiting === undefined && typeof entry.detail.behind !== "string", pending };
}

function whyNotInSync(latest: HistoryEntry | undefined): string {
  const { reason, behind } = latest?.detail ?? {};
  return typeof reason === "string" ? reason : typeof behind === "string" ? behind : (latest?.summary ?? "");
}

/** Outcomes of a pass after which the target is in sync unless something drifted. A pass is skipped only if nothing has moved. */
const EQUAL: ReadonlySet<string> = new Set(["in-sync", "applied", "skipped"]);

/** By the outcome of a pass, or by what a commit waits for. */
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

/** The row after an event of its target. */
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

/** What is said of a manager that is pushed to, or was. */
export function whilePushing(row: FleetRow, course: PushCourse): FleetRow {
  return { ...row, note: noteOf(`${course.ended === undefined ? "pushing" : "pushed"}: ${courseWords(course)}`) };
}

function afterPass(row: FleetRow, event: Extract<AgentEvent, { type: "pass-ended" }>): FleetRow {
  const { result, drift, outcome, time, waiting } = event;
  const checked = seconds(time);
  if (result === "skipped") return { ...row, checked };
  const seen = { ...driftOf(drift), checked };
  if (waiting !== undefined) return meanwhile(row, event, waiting);
  if (result === "failed" || result === "refused") {
    return { ...row, ...seen, ...stateSince(row, result, time), note: noteOf(outcome?.error?.message ?? reasonIn(outcome) ?? row.note) };
  }
  if (result === "held") {
    // Nothing was looked at: what waits waits, and is not in sync.
    return drift.length > 0 ? { ...row, ...seen, state: "drifted" } : { ...row, ...seen, ...stateSince(row, "pending", time) };
  }
  const done = { ...row, ...seen, pending: 0, note: "" };
  const open = reasonIn(outcome);
  if (drift.length === 0 && open !== undefined) return { ...done, note: noteOf(open), ...stateSince(row, "pending", time) };
  return drift.length > 0 ? { ...done, state: "drifted" } : { ...done, state: "in-sync", since: 0 };
}

function reasonIn(outcome: TargetOutcome | undefined): string | undefined {
  return outcome === undefined ? undefined : reasonsNotInSync(outcome)[0]?.message;
}

/** A look, or a heal, while a commit waits: what became of the commit stands, and what somebody did is counted beside it. */
function meanwhile(row: FleetRow, { result, drift, time }: Extract<AgentEvent, { type: "pass-ended" }>, waiting: Waiting): FleetRow {
  const checked = seconds(time);
  const { since, ...seen } = driftOf(drift);
  const counted = { ...row, ...seen, pending: waiting.changes, checked };
  const fault = result === "failed" ? "failed" : FAULTS[waiting.held ?? ""];
  if (fault !== undefined) return { ...counted, ...stateSince(row, fault, time) };
  return drift.length > 0 ? { ...counted, state: "drifted", since } : { ...counted, ...stateSince(row, "pending", time) };
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
