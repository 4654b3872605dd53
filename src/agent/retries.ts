import type { AgentClock } from "./clock.js";

const FIRST = 60_000;
const LONGEST = 30 * 60_000;
const SPREAD = 0.25;

/** Milliseconds: no try is put off for longer. */
export const LONGEST_RETRY = LONGEST * (1 + SPREAD);

/** Milliseconds before the next try after `attempt` failed ones: doubling from a minute to half an hour, give or take a quarter. */
export function retryDelay(attempt: number, clock: Pick<AgentClock, "random">): number {
  const plain = Math.min(LONGEST, FIRST * 2 ** Math.min(attempt - 1, 10));
  return Math.round(plain * (1 - SPREAD + 2 * SPREAD * clock.random()));
}

/** An interval that does not beat with others: plus or minus a tenth. */
export function jittered(interval: number, clock: Pick<AgentClock, "random">): number {
  return Math.round(interval * (0.9 + clock.random() / 5));
}
