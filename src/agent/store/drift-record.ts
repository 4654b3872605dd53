export type DriftKind = "missing" | "extra" | "differs" | "order" | "renamed" | "unmanaged";

/** One drift is known by its place and kind: the same again, an hour later, is the same drift. */
export interface DriftKey {
  readonly path: string;
  readonly change: DriftKind;
}

export interface DriftRecord extends DriftKey {
  readonly author: string | undefined;
  /** In the target's own clock. */
  readonly authorTime: string | undefined;
  /** The change as the JSON report shows it. */
  readonly view: unknown;
}

/** What a look at running found. Open drift that is not among `items` is over. */
export interface DriftSeen {
  readonly items: readonly DriftRecord[];
  /** Only drift at or below this XPath was looked for; the rest stays as it is. */
  readonly only?: string | undefined;
}

export interface OpenDrift extends DriftRecord {
  readonly id: number;
  readonly target: string;
  readonly firstSeen: number;
  readonly lastSeen: number;
}

/** Open drift of one target, counted. */
export interface DriftTotal {
  readonly count: number;
  readonly oldest: number;
  /** The first and the last of those who caused it, by name; none where nobody is known. */
  readonly authors: readonly string[];
  /** How many of them there are. */
  readonly authorCount: number;
}

export interface DriftMemory {
  /** Drift that is open, oldest first; of one target, or of all. */
  open(target?: string): Promise<readonly OpenDrift[]>;
  /** A target to how much is open, since when and by whom; targets without open drift are left out. */
  totals(): Promise<ReadonlyMap<string, DriftTotal>>;
  /** How often each drift of the target was healed since that time, keyed by `driftKey`. */
  heals(target: string, since: number): Promise<ReadonlyMap<string, number>>;
}

/** A drift as the key of a map. */
export function driftKey(drift: DriftKey): string {
  return `${drift.change} ${drift.path}`;
}
