import type { Job } from "./job.js";
import { type LookBounds, narrowed, trialOf } from "./look-bounds.js";

/** Delays before the first polls of a job, in milliseconds. Most jobs are finished by then. */
const EARLY = [200, 500, 1_000];
/** More frequent polls slow a job down (docs/contributing/devices/panos.md#commits-and-jobs). */
const SPARING = 2_000;
const LONGEST = 10_000;
const GROWTH = 1.25;

/** State of a watched job. All times in milliseconds since the reply that named it. */
export interface Watched {
  /** Time by the clock. */
  readonly elapsed: number;
  /** Sum of the delays before the polls so far, without their round trips. */
  readonly waited: number;
  /** Number of polls so far. */
  readonly looks: number;
  /** Duration of the last job of this kind on this device, if known. */
  readonly expected: number | undefined;
  /** Bounds from polls of earlier short jobs. */
  readonly bounds?: LookBounds | undefined;
}

/**
 * Returns the delay before the next poll, in milliseconds. A short or unknown job is polled early and then less often; bounds from earlier
 * jobs can only make a poll earlier. A long job is polled when the previous one had finished, and before that only as often as a user needs
 * progress.
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

/** The end of a job, in milliseconds since the reply that named it. */
export interface SeenEnd {
  /** Time when the poll returned the end. */
  readonly told: number;
  /** Times when that poll, and the last poll that found the job active, were sent. Rounded to milliseconds. */
  readonly over: number;
  readonly busy: number | undefined;
}

/** Times of one kind of job, kept for the next process. */
export interface KeptTimes {
  readonly took: number;
  readonly bounds?: LookBounds | undefined;
}

/** Durations of the last jobs of each device, by kind. */
export class JobTimes {
  readonly #known = new Map<string, KeptTimes>();

  /** Duration in milliseconds. Undefined if no such job has ended yet. */
  expected(device: string, kind: string): number | undefined {
    return this.#known.get(`${device} ${kind}`)?.took;
  }

  /** Undefined if the polls add nothing to `expected`, for example for long jobs. */
  bounds(device: string, kind: string): LookBounds | undefined {
    return this.#known.get(`${device} ${kind}`)?.bounds;
  }

  /** Returns the times to keep for the next process, by kind. Durations are rounded up to full seconds. */
  of(device: string): Readonly<Record<string, KeptTimes>> {
    const own = [...this.#known].filter(([key]) => key.startsWith(`${device} `));
    const kept = own.map(([key, { took, bounds }]) => [
      key.slice(device.length + 1),
      { took: Math.ceil(took / 1000) * 1000, ...(bounds === undefined ? {} : { bounds }) },
    ]);
    return Object.fromEntries(kept);
  }

  /** Loads the times of an earlier process, for kinds that this process has not seen. */
  recall(device: string, kept: Readonly<Record<string, KeptTimes>>): void {
    for (const [kind, { took, bounds }] of Object.entries(kept)) {
      const key = `${device} ${kind}`;
      if (!this.#known.has(key)) this.#known.set(key, { took, bounds: took > SPARING ? undefined : bounds });
    }
  }

  /** Called if another device or version answers at the address. Durations remain an estimate, but the exact bounds no longer apply. */
  forgetBounds(device: string): void {
    for (const [key, { took }] of this.#known) if (key.startsWith(`${device} `)) this.#known.set(key, { took });
  }

  /**
   * Records the end of a job. The device's own times have a resolution of one second, which is more accurate for long jobs. A failed job
   * ends earlier than others, so it sets no bounds.
   */
  ended(device: string, kind: string, { seconds, result }: Pick<Job, "seconds" | "result">, { told, over, busy }: SeenEnd): void {
    const key = `${device} ${kind}`;
    const said = seconds === undefined ? Number.POSITIVE_INFINITY : (seconds + 1) * 1000;
    const took = Math.min(told, said);
    const before = this.#known.get(key)?.bounds;
    const bounds = result === "OK" ? narrowed(before, { over: Math.min(over, said), busy }) : before;
    this.#known.set(key, took > SPARING || bounds === undefined || bounds.over > SPARING ? { took } : { took, bounds });
  }
}
