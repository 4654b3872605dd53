import type { AgentClock } from "./clock.js";

const FIRST = 60_000;
const LONGEST = 30 * 60_000;
const SPREAD = 0.25;

/** Maximum delay of a retry, in milliseconds. */
export const LONGEST_RETRY = LONGEST * (1 + SPREAD);

/** Returns the milliseconds before the next try. The delay doubles from one minute to half an hour and varies by a quarter. */
export function retryDelay(attempt: number, clock: Pick<AgentClock, "random">): number {
  const plain = Math.min(LONGEST, FIRST * 2 ** Math.min(attempt - 1, 10));
  return Math.round(plain * (1 - SPREAD + 2 * SPREAD * clock.random()));
}

/** Varies an interval by a tenth, so that agents do not act at the same time. */
export function jittered(interval: number, clock: Pick<AgentClock, "random">): number {
  return Math.round(interval * (0.9 + clock.random() / 5));
}
