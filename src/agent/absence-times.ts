import type { HistoryEntry } from "../outcome/history.js";
import type { Drift, DriftItem } from "../outcome/outcome.js";
import { UNKNOWN_ADMIN } from "../plan/diff/change.js";
import { driftKey, type OpenDrift } from "./store/store.js";

/** Number of recent passes in which the last read of the target is searched. */
export const MOST_PASSES = 20;

/** Outcomes of passes that may not have read the target. */
const BLIND: ReadonlySet<string | undefined> = new Set(["failed", "interrupted", undefined]);

/** Returns when an earlier pass last read the target. Undefined if none of the given passes did. */
export function lastRead(passes: readonly HistoryEntry[], current: number | undefined): number | undefined {
  return passes.find(({ id, ended, outcome }) => id !== current && ended !== undefined && !BLIND.has(outcome))?.ended;
}

/** Returns whether an object is missing and the time of its removal is unknown. */
export function isMissingWithoutTime({ change, attribution }: DriftItem): boolean {
  return change.kind === "missing" && attribution?.time === undefined;
}

/**
 * Adds a time to missing objects for which the platform keeps none: the interval between the last two passes (ISO 8601). The interval of
 * the first report is kept in `remembered`.
 */
export function withAbsenceTimes(drift: Drift, last: number | undefined, now: number, remembered: readonly OpenDrift[]): Drift {
  const knownTimes = new Map(remembered.map((each) => [driftKey(each), each.authorTime]));
  const interval = last === undefined ? undefined : `${instant(last)}/${instant(now)}`;
  const items = drift.items.map((item): DriftItem => {
    if (!isMissingWithoutTime(item)) return item;
    const { change, attribution } = item;
    const key = driftKey({ change: change.kind, path: change.path.toString() });
    const time = knownTimes.has(key) ? knownTimes.get(key) : interval;
    return time === undefined ? item : { ...item, attribution: { ...attribution, admin: attribution?.admin ?? UNKNOWN_ADMIN, time } };
  });
  return { ...drift, items };
}

function instant(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}
