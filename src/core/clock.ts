import { setTimeout as wait } from "node:timers/promises";

export interface Clock {
  /** Milliseconds. Only differences are used. */
  now(): number;
  /** Resolves early if `stop` is aborted. */
  sleep(milliseconds: number, stop?: AbortSignal): Promise<void>;
}

/** Waits. Resolves early if `stop` is aborted. */
export async function sleep(milliseconds: number, stop?: AbortSignal): Promise<void> {
  try {
    await wait(milliseconds, undefined, stop === undefined ? {} : { signal: stop });
  } catch (error) {
    if (stop?.aborted !== true) throw error;
  }
}
