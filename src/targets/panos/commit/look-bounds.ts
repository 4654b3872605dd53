/**
 * Bounds of the duration of one kind of job on one device, learned from polls because the device's own times only have a resolution of one
 * second. In milliseconds from the reply that named the job to the sending of a poll, without round trips.
 */
export interface LookBounds {
  /** Time of the earliest poll that found such a job finished, since a poll at that time found one active. */
  readonly over: number;
  /** Time of the latest poll before `over` that found a job active. Undefined if none did. */
  readonly busy?: number | undefined;
  /** Number of consecutive jobs that changed neither bound. 0 if `busy` is undefined. */
  readonly steady: number;
}

/** Bounds this close are not narrowed further. An early poll costs a request, and could only save this time or a fifth of the job. */
const CLOSE = 20;
const CLOSE_SHARE = 0.2;
/** After this many equal jobs, one poll checks at `busy` again: the device may have become faster. */
const STEADY = 32;

/** Returns the time of an experimental poll before `over`. Undefined if the poll is not worth its cost. */
export function trialOf({ over, busy, steady }: LookBounds): number | undefined {
  if (busy === undefined) return over === 0 ? undefined : over > CLOSE ? Math.round(over / 2) : 0;
  if (over - busy > Math.max(CLOSE, over * CLOSE_SHARE)) return Math.round(Math.sqrt(Math.max(busy, 1) * over));
  return steady >= STEADY ? busy : undefined;
}

/**
 * Returns the time of the first poll that will probably find the job finished. If no poll ever found one active, this is the experimental
 * poll.
 */
export function likelyOver(bounds: LookBounds): number {
  return bounds.busy === undefined ? (trialOf(bounds) ?? bounds.over) : bounds.over;
}

/** Returns the bounds after another job: the poll at `over` found it finished, and the previous poll at `busy` found it active. */
export function narrowed(before: LookBounds | undefined, { over, busy }: Omit<LookBounds, "steady">): LookBounds {
  const wasMissed = before === undefined || (busy !== undefined && busy >= before.over);
  const earliest = wasMissed ? over : Math.min(before.over, over);
  const latest = Math.max(before === undefined ? -1 : stillBusy(before, earliest), busy !== undefined && busy < earliest ? busy : -1);
  if (latest < 0) return { over: earliest, steady: 0 };
  const isSame = before !== undefined && earliest === before.over && latest === before.busy && before.steady < STEADY;
  return { over: earliest, busy: latest, steady: isSame ? before.steady + 1 : 0 };
}

/**
 * Returns -1 if there is no bound. Durations vary: a job that finished slightly before `busy` halves the bound, a much faster one removes
 * it.
 */
function stillBusy({ busy = -1 }: LookBounds, over: number): number {
  if (busy < over) return busy;
  return over > busy / 2 ? Math.round(over / 2) : -1;
}

/** Parses bounds from an earlier process. Undefined if they are invalid. */
export function boundsIn(text: unknown): LookBounds | undefined {
  if (typeof text !== "object" || text === null) return undefined;
  const { over, busy, steady } = { over: undefined, busy: undefined, steady: undefined, ...text };
  if (!isWhole(over) || !isWhole(steady)) return undefined;
  if (busy === undefined) return { over, steady };
  return isWhole(busy) && busy < over ? { over, busy, steady } : undefined;
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
