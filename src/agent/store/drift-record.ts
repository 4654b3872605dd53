export type DriftKind = "missing" | "extra" | "differs" | "order" | "renamed" | "unmanaged";

/** Key of a drift: its path and kind. The same key in a later pass is the same drift. */
export interface DriftKey {
  readonly path: string;
  readonly change: DriftKind;
}

export interface DriftRecord extends DriftKey {
  readonly author: string | undefined;
  /** Time of the target's clock. */
  readonly authorTime: string | undefined;
  /** Change as in the JSON report. */
  readonly view: unknown;
}

/** Drift that a read of the running configuration found. Open drift that is not in `items` has ended. */
export interface DriftSeen {
  readonly items: readonly DriftRecord[];
  /** Only drift at or below this XPath was read. Other drift does not change. */
  readonly only?: string | undefined;
}

export interface OpenDrift extends DriftRecord {
  readonly id: number;
  readonly target: string;
  readonly firstSeen: number;
  readonly lastSeen: number;
}

/** Number of open drifts of one target. */
export interface DriftTotal {
  readonly count: number;
  readonly oldest: number;
  /** First and last name of the authors in alphabetical order. Empty if none is known. */
  readonly authors: readonly string[];
  /** Number of authors. */
  readonly authorCount: number;
}

export interface DriftMemory {
  /** Returns the open drift of one or all targets, oldest first. */
  open(target?: string): Promise<readonly OpenDrift[]>;
  /** Returns count, start and authors of open drift by target. Targets without open drift are omitted. */
  totals(): Promise<ReadonlyMap<string, DriftTotal>>;
  /** Returns the number of heals since that time, by `driftKey`. */
  heals(target: string, since: number): Promise<ReadonlyMap<string, number>>;
}

/** Returns the key of a drift for maps. */
export function driftKey(drift: DriftKey): string {
  return `${drift.change} ${drift.path}`;
}
