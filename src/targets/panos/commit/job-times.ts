import type { Job } from "./job.js";

/** Milliseconds to wait before each of the first looks at a job: most are over by then. */
const EARLY = [200, 500, 1_000];
/** Looking more often than this slows a job down (docs/devices/panos.md#commits-and-jobs). */
const SPARING = 2_000;
const LONGEST = 10_000;
const GROWTH = 1.25;

/** Of a job that is watched. */
export interface Watched {
  /** Milliseconds since it was enqueued. */
  readonly elapsed: number;
  /** Times that it was looked at. */
  readonly looks: number;
  /** Milliseconds that the last job of the kind took on this device, where that is known. */
  readonly expected: number | undefined;
}

/**
 * Milliseconds until a job is looked at next: when it can be over. One that is short, or of which nothing is known, soon and then
 * rarely; one that takes long when the one before it was over, and on the way only as often as a person wants to hear of it.
 */
export function untilNextLook({ elapsed, looks, expected }: Watched): number {
  const isLong = expected !== undefined && expected > SPARING;
  if (isLong && elapsed < expected) return Math.min(LONGEST, Math.max(SPARING, expected - elapsed));
  const early = isLong ? undefined : EARLY[looks];
  if (early !== undefined) return early;
  return Math.min(SPARING * GROWTH ** Math.max(0, looks - EARLY.length), LONGEST);
}

/** Whether a job that was enqueued `elapsed` milliseconds ago is likely to be over, by what is known of its kind. */
export function mayEndBy(elapsed: number, expected: number | undefined): boolean {
  return expected !== undefined && (expected <= SPARING || elapsed >= expected);
}

/** What the last jobs of each device took, by their kind. */
export class JobTimes {
  readonly #took = new Map<string, number>();

  /** Milliseconds; undefined where no such job was seen to end. */
  expected(device: string, kind: string): number | undefined {
    return this.#took.get(`${device} ${kind}`);
  }

  /** In milliseconds, rounded up to whole seconds, by kind: what the next process is told. */
  of(device: string): Readonly<Record<string, number>> {
    const own = [...this.#took].filter(([key]) => key.startsWith(`${device} `));
    return Object.fromEntries(own.map(([key, took]) => [key.slice(device.length + 1), Math.ceil(took / 1000) * 1000]));
  }

  /** What a process before was told, where this one has seen no such job. */
  recall(device: string, took: Readonly<Record<string, number>>): void {
    for (const [kind, milliseconds] of Object.entries(took)) {
      const key = `${device} ${kind}`;
      if (!this.#took.has(key)) this.#took.set(key, milliseconds);
    }
  }

  /** `watched`: milliseconds until it was seen to be over. The device's own times, which are whole seconds, say it better of a long one. */
  ended(device: string, kind: string, { seconds }: Pick<Job, "seconds">, watched: number): void {
    const said = seconds === undefined ? watched : (seconds + 1) * 1000;
    this.#took.set(`${device} ${kind}`, Math.min(watched, said));
  }
}
