import { isDeepStrictEqual } from "node:util";
import type { OwnershipRow } from "../../plan/ownership-record.js";
import type { LedgerRecord } from "./ledger.js";

type Keyed<T> = Readonly<Record<string, T>>;

/**
 * Applies the changes of a run that holds the lock to a ledger that others wrote concurrently. `ours` was derived from `base`; `theirs` is
 * the current ledger.
 * Keeps the paths of both, except those that we read back as absent and that they did not change. A surplus path is searched for and not
 * found, but a missing one would be forgotten permanently.
 */
export function rebasedRecord(base: LedgerRecord | undefined, ours: LedgerRecord, theirs: LedgerRecord): LedgerRecord {
  const isRewritten = rewrittenIn(base, theirs);
  const paths = both(base?.paths, ours.paths, theirs.paths, isRewritten);
  const rows = keyed(base?.rows, ours.rows, theirs.rows) ?? {};
  const announced = both(base?.announced, ours.announced, theirs.announced, isRewritten);
  const leaving = both(base?.leaving, ours.leaving, theirs.leaving);
  const undelivered = both(base?.undelivered, ours.undelivered, theirs.undelivered);
  const snapshots = keyed(base?.snapshots, ours.snapshots, theirs.snapshots);
  return {
    ...ours,
    paths,
    rows: Object.fromEntries(paths.flatMap((path) => rowAt(path, rows[path] ?? theirs.rows?.[path], theirs))),
    announced: announced.length === 0 ? undefined : announced,
    leaving: leaving.length === 0 ? undefined : leaving,
    undelivered: undelivered.length === 0 ? undefined : undelivered,
    adopted: both(base?.adopted, ours.adopted, theirs.adopted),
    secrets: keyed(base?.secrets, ours.secrets, theirs.secrets) ?? {},
    deletes: deletesOf(base, ours, theirs),
    unproven: changed(base?.unproven, ours.unproven, theirs.unproven),
    stuck: changed(base?.stuck, ours.stuck, theirs.stuck),
    devices: changed(base?.devices, ours.devices, theirs.devices),
    access: changed(base?.access, ours.access, theirs.access),
    watch: isDecided(base, theirs) ? theirs.watch : changed(base?.watch, ours.watch, theirs.watch),
    refused: changed(base?.refused, ours.refused, theirs.refused),
    merged: keyed(base?.merged, ours.merged, theirs.merged),
    unanswered: keyed(base?.unanswered, ours.unanswered, theirs.unanswered),
    snapshots: snapshots === undefined || Object.keys(snapshots).length === 0 ? undefined : snapshots,
  };
}

/** Reports whether another run has decided on the watch that was open in `base`. */
export function isDecided(base: LedgerRecord | undefined, theirs: LedgerRecord): boolean {
  return base?.watch !== undefined && theirs.watch?.run !== base.watch.run;
}

/** Keeps the origin `adopted`, regardless of the origin that a run recorded. */
function rowAt(path: string, row: OwnershipRow | undefined, theirs: LedgerRecord): [string, OwnershipRow][] {
  if (row === undefined) return [];
  return [[path, theirs.rows?.[path]?.came === "adopted" ? { ...row, came: "adopted" } : row]];
}

/** Whether they have made, changed or announced a path, or want one again that was leaving. */
function rewrittenIn(base: LedgerRecord | undefined, theirs: LedgerRecord): (path: string) => boolean {
  const [announced, leaving] = [new Set(base?.announced), new Set(base?.leaving)];
  for (const path of theirs.leaving ?? []) leaving.delete(path);
  const isAnnounced = new Set(theirs.announced?.filter((path) => !announced.has(path)));
  const isOther = (path: string): boolean => !isDeepStrictEqual(base?.rows?.[path], theirs.rows?.[path]);
  return (path) => leaving.has(path) || isAnnounced.has(path) || isOther(path);
}

function both(
  base: readonly string[] = [],
  ours: readonly string[] = [],
  theirs: readonly string[] = [],
  isRewritten: (each: string) => boolean = () => false,
): string[] {
  const known = new Set(base);
  return [...new Set([...ours, ...theirs.filter((each) => !known.has(each) || isRewritten(each))])].sort();
}

/** Our changes win; everything else is kept as they wrote it. */
function changed<T>(base: T, ours: T, theirs: T): T {
  return isDeepStrictEqual(base, ours) ? theirs : ours;
}

function keyed<T>(base: Keyed<T> = {}, ours?: Keyed<T>, theirs?: Keyed<T>): Keyed<T> | undefined {
  if (ours === undefined && theirs === undefined) return undefined;
  const merged: Record<string, T> = {};
  for (const [key, value] of Object.entries(theirs ?? {})) if (!isDeepStrictEqual(base[key], value)) merged[key] = value;
  for (const [key, value] of Object.entries(ours ?? {})) merged[key] = changed(base[key], value, theirs?.[key] ?? value) ?? value;
  return merged;
}

/** The daily budget counts the deletions of both. */
function deletesOf(base: LedgerRecord | undefined, ours: LedgerRecord, theirs: LedgerRecord): LedgerRecord["deletes"] {
  if (ours.deletes === undefined || theirs.deletes?.day !== ours.deletes.day) return ours.deletes ?? theirs.deletes;
  const before = base?.deletes?.day === ours.deletes.day ? base.deletes.count : 0;
  return { day: ours.deletes.day, count: theirs.deletes.count + ours.deletes.count - before };
}
