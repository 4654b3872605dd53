/**
 * What looks at jobs of one kind told of when such a job is over on one device: the device's own times are whole seconds. In whole
 * milliseconds, from the reply that named the job to the sending of a look, so that a round trip is in neither.
 */
export interface LookBounds {
  /** The earliest look that found such a job over, since one found it at work at that time. */
  readonly over: number;
  /** The latest look before `over` that found one at work; undefined where none did. */
  readonly busy?: number | undefined;
  /** Jobs in a row that changed neither; 0 where there is no `busy` to try again. */
  readonly steady: number;
}

/** Closer bounds are not narrowed: a look too early is a request, and all that it could spare is this, or a fifth of the job. */
const CLOSE = 20;
const CLOSE_SHARE = 0.2;
/** After so many jobs alike, one look asks whether they still are at work at `busy`: the device may have become quicker. */
const STEADY = 32;

/** A look before `over`, to learn whether a job can be over then; undefined where there is nothing to learn at a price worth it. */
export function trialOf({ over, busy, steady }: LookBounds): number | undefined {
  if (busy === undefined) return over === 0 ? undefined : over > CLOSE ? Math.round(over / 2) : 0;
  if (over - busy > Math.max(CLOSE, over * CLOSE_SHARE)) return Math.round(Math.sqrt(Math.max(busy, 1) * over));
  return steady >= STEADY ? busy : undefined;
}

/** The first look that is likely to find a job over. Where nothing ever found one at work, that is the trial. */
export function likelyOver(bounds: LookBounds): number {
  return bounds.busy === undefined ? (trialOf(bounds) ?? bounds.over) : bounds.over;
}

/** The bounds after one job more, which the look at `over` found over and the one at `busy`, the last before it, at work. */
export function narrowed(before: LookBounds | undefined, { over, busy }: Omit<LookBounds, "steady">): LookBounds {
  const wasMissed = before === undefined || (busy !== undefined && busy >= before.over);
  const earliest = wasMissed ? over : Math.min(before.over, over);
  const latest = Math.max(before === undefined ? -1 : stillBusy(before, earliest), busy !== undefined && busy < earliest ? busy : -1);
  if (latest < 0) return { over: earliest, steady: 0 };
  const isSame = before !== undefined && earliest === before.over && latest === before.busy && before.steady < STEADY;
  return { over: earliest, busy: latest, steady: isSame ? before.steady + 1 : 0 };
}

/** -1 for nothing. Jobs vary: one that was over a little before `busy` refutes it but by half, one that was over long before it wholly. */
function stillBusy({ busy = -1 }: LookBounds, over: number): number {
  if (busy < over) return busy;
  return over > busy / 2 ? Math.round(over / 2) : -1;
}

/** Bounds as an earlier process wrote them; undefined where a file says something else. */
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
