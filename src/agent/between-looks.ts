import type { HistoryEntry } from "../outcome/history.js";
import type { Drift, DriftItem } from "../outcome/outcome.js";
import { UNKNOWN_ADMIN } from "../plan/diff/change.js";
import { driftKey, type OpenDrift } from "./store/store.js";

/** Passes that are looked back through for one that saw the target. */
export const MOST_PASSES = 20;

/** Passes that did not see what stands. */
const BLIND: ReadonlySet<string | undefined> = new Set(["failed", "interrupted", undefined]);

/** When a former pass saw the target last, of its newest passes; undefined where none of these did. */
export function lastLook(passes: readonly HistoryEntry[], current: number | undefined): number | undefined {
  return passes.find(({ id, ended, outcome }) => id !== current && ended !== undefined && !BLIND.has(outcome))?.ended;
}

/** True for what is gone, and nobody says since when. */
export function isGoneUntold({ change, attribution }: DriftItem): boolean {
  return change.kind === "missing" && attribution?.time === undefined;
}

/**
 * What is gone and of which the platform keeps no time went between two looks: the time is the interval between them
 * (ISO 8601). `remembered` keeps the first that was told.
 */
export function withTimesOfLooks(drift: Drift, last: number | undefined, now: number, remembered: readonly OpenDrift[]): Drift {
  const told = new Map(remembered.map((each) => [driftKey(each), each.authorTime]));
  const interval = last === undefined ? undefined : `${instant(last)}/${instant(now)}`;
  const items = drift.items.map((item): DriftItem => {
    if (!isGoneUntold(item)) return item;
    const { change, attribution } = item;
    const key = driftKey({ change: change.kind, path: change.path.toString() });
    const time = told.has(key) ? told.get(key) : interval;
    return time === undefined ? item : { ...item, attribution: { ...attribution, admin: attribution?.admin ?? UNKNOWN_ADMIN, time } };
  });
  return { ...drift, items };
}

function instant(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}
