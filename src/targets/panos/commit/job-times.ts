import type { Job } from "./job.js";
import { type LookBounds, likelyOver, narrowed, trialOf } from "./look-bounds.js";

/** Milliseconds to wait before each of the first looks at a job: most are over by then. */
const EARLY = [200, 500, 1_000];
/** Looking more often than this slows a job down (docs/devices/panos.md#commits-and-jobs). */
const SPARING = 2_000;
const LONGEST = 10_000;
const GROWTH = 1.25;

/** Of a job that is watched. All in milliseconds, from the reply that named it. */
export interface Watched {
  /** By the clock. */
  readonly elapsed: number;
  /** What was waited for before the looks so far, their round trips left out. */
  readonly waited: number;
  /** Times that it was looked at. */
  readonly looks: number;
  /** What the last job of the kind took on this device, where that is known. */
  readonly expected: number | undefined;
  /** What looks at earlier ones told, of a short one. */
  readonly bounds?: LookBounds | undefined;
}

/**
 * Milliseconds until a job is looked at next: when it can be over. One that is short, or of which nothing is known, soon and then
 * rarely, never later than one of which nothing is known, and earlier where looks at earlier ones say so; one that takes long when the
 * one before it was over, and on the way only as often as a person wants to hear of it.
 */
export function untilNextLook({ elapsed, waited, looks, expected, bounds }: Watched): number {
  if (expected !== undefined && expected > SPARING) {
    if (elapsed < expected) return Math.min(LONGEST, Math.max(SPARING, expected - elapsed));
    return usualWait(Math.max(EARLY.length, looks));
  }
  const told = bounds === undefined ? [] : [trialOf(bounds) ?? bounds.over, bounds.over];
  const own = told.filter((at) => (looks === 0 ? at >= 0 : at > waited));
  return Math.min(...own, usualLookAfter(waited)) - waited;
}

function usualLookAfter(waited: number): number {
  let at = 0;
  for (let looks = 0; at <= waited; looks++) at += usualWait(looks);
  return at;
}

function usualWait(looks: number): number {
  return EARLY[looks] ?? Math.min(SPARING * GROWTH ** (looks - EARLY.length), LONGEST);
}

/** Whether a job is likely to be over at a look that is sent now, by what is known of its kind. */
export function mayEndBy({ elapsed, waited, expected, bounds }: Pick<Watched, "elapsed" | "waited" | "expected" | "bounds">): boolean {
  if (bounds !== undefined) return waited >= likelyOver(bounds);
  return expected !== undefined && (expected <= SPARING || elapsed >= expected);
}

/** How a job was seen to end, in milliseconds from the reply that named it. */
export interface SeenEnd {
  /** Until it was told. */
  readonly told: number;
  /** Until that look, and the last one that found it at work, were sent; whole. */
  readonly over: number;
  readonly busy: number | undefined;
}

/** For the next process, of one kind of job. */
export interface KeptTimes {
  readonly took: number;
  readonly bounds?: LookBounds | undefined;
}

/** What the last jobs of each device took, by their kind. */
export class JobTimes {
  readonly #known = new Map<string, KeptTimes>();

  /** Milliseconds; undefined where no such job was seen to end. */
  expected(device: string, kind: string): number | undefined {
    return this.#known.get(`${device} ${kind}`)?.took;
  }

  /** Undefined where no look tells more than `expected`, as of jobs that take long. */
  bounds(device: string, kind: string): LookBounds | undefined {
    return this.#known.get(`${device} ${kind}`)?.bounds;
  }

  /** By kind, what the next process is told; what jobs took is rounded up to whole seconds. */
  of(device: string): Readonly<Record<string, KeptTimes>> {
    const own = [...this.#known].filter(([key]) => key.startsWith(`${device} `));
    const kept = own.map(([key, { took, bounds }]) => [
      key.slice(device.length + 1),
      { took: Math.ceil(took / 1000) * 1000, ...(bounds === undefined ? {} : { bounds }) },
    ]);
    return Object.fromEntries(kept);
  }

  /** What a process before was told, where this one has seen no such job. */
  recall(device: string, kept: Readonly<Record<string, KeptTimes>>): void {
    for (const [kind, { took, bounds }] of Object.entries(kept)) {
      const key = `${device} ${kind}`;
      if (!this.#known.has(key)) this.#known.set(key, { took, bounds: took > SPARING ? undefined : bounds });
    }
  }

  /** Another box, or another version, answers there: how long its jobs take is a guess still, when exactly they are over none. */
  forgetBounds(device: string): void {
    for (const [key, { took }] of this.#known) if (key.startsWith(`${device} `)) this.#known.set(key, { took });
  }

  /** The device's own times, which are whole seconds, say it better of a long one. One that fails ends earlier than others, which tells no bound. */
  ended(device: string, kind: string, { seconds, result }: Pick<Job, "seconds" | "result">, { told, over, busy }: SeenEnd): void {
    const key = `${device} ${kind}`;
    const said = seconds === undefined ? Number.POSITIVE_INFINITY : (seconds + 1) * 1000;
    const took = Math.min(told, said);
    const before = this.#known.get(key)?.bounds;
    const bounds = result === "OK" ? narrowed(before, { over: Math.min(over, said), busy }) : before;
    this.#known.set(key, took > SPARING || bounds === undefined || bounds.over > SPARING ? { took } : { took, bounds });
  }
}
