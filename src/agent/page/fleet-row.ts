import type { HistoryEntry } from "../../outcome/history.js";
import type { AgentEvent, KnownDrift } from "../events.js";
import type { DriftTotal } from "../store/store.js";

/** Worst first. `new`: never looked at. */
const STATES = ["failed", "refused", "drifted", "in-sync", "new"] as const;
export type FleetState = (typeof STATES)[number];

/** One target in the overview; server and browser share this file. Times are seconds since 1970 UTC. */
export interface FleetRow {
  readonly name: string;
  readonly kind: string;
  readonly mode: string;
  readonly state: FleetState;
  /** Open drift. */
  readonly drifts: number;
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
const NOTHING_KNOWN: FleetRow = { name: "", kind: "", mode: "", state: "new", drifts: 0, since: 0, who: "", checked: 0, note: "" };
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

export function newRow(name: string, { kind, mode }: { readonly kind: string; readonly mode: string }): FleetRow {
  return { ...NOTHING_KNOWN, name, kind, mode };
}

/** What the store remembers of a target: its newest pass and its open drift. */
export function rememberedRow(row: FleetRow, latest: HistoryEntry | undefined, total: DriftTotal | undefined): FleetRow {
  const drifts = total?.count ?? 0;
  const outcome = latest?.outcome;
  const fault = FAULTS[outcome ?? ""];
  const state: FleetState = fault ?? (drifts > 0 ? "drifted" : latest === undefined ? "new" : "in-sync");
  const reason = latest?.detail.reason;
  return {
    ...row,
    state,
    drifts,
    since: seconds(fault !== undefined && fault === row.state ? row.since * 1000 : fault !== undefined ? latest?.at : total?.oldest),
    who: whoOf(total?.authors ?? [], total?.authorCount ?? 0),
    checked: seconds(latest?.ended ?? latest?.at),
    note: fault === undefined ? "" : noteOf(typeof reason === "string" ? reason : (latest?.summary ?? "")),
  };
}

const FAULTS: Readonly<Record<string, FleetState>> = { failed: "failed", partial: "failed", refused: "refused" };

/** The row after an event of its target. */
export function rowAfter(row: FleetRow, event: AgentEvent): FleetRow {
  switch (event.type) {
    case "pass-ended":
      return afterPass(row, event);
    case "held":
      return { ...row, note: noteOf(event.message), ...(event.reason === "refused" ? faultSince(row, "refused", event.time) : {}) };
    case "released":
      return { ...row, note: "" };
    case "apply-failed":
      return { ...row, note: noteOf(event.error.message), ...faultSince(row, "failed", event.time) };
    default:
      return row;
  }
}

function afterPass(row: FleetRow, { result, drift, outcome, time }: Extract<AgentEvent, { type: "pass-ended" }>): FleetRow {
  const checked = seconds(time);
  if (result === "skipped") return { ...row, checked };
  const seen = { ...driftOf(drift), checked };
  if (result === "failed" || result === "refused") {
    return { ...row, ...seen, ...faultSince(row, result, time), note: noteOf(outcome?.error?.message ?? row.note) };
  }
  if (drift.length > 0) return { ...row, ...seen, state: "drifted", note: result === "held" ? row.note : "" };
  return { ...row, ...seen, state: "in-sync", since: 0, note: result === "held" ? row.note : "" };
}

function driftOf(drift: readonly KnownDrift[]): Pick<FleetRow, "drifts" | "since" | "who"> {
  const admins = new Set(drift.flatMap(({ item }) => item.attribution?.admin ?? []));
  const oldest = drift.reduce((least, { firstSeen }) => Math.min(least, firstSeen), Number.POSITIVE_INFINITY);
  const names = [...admins].sort();
  const some = names.length > 2 ? [names[0] ?? "", names.at(-1) ?? ""] : names;
  return { drifts: drift.length, since: drift.length === 0 ? 0 : seconds(oldest), who: whoOf(some, admins.size) };
}

function faultSince(row: FleetRow, state: "failed" | "refused", time: number): Pick<FleetRow, "state" | "since"> {
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
