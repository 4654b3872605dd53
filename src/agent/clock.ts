import { sleep } from "../core/clock.js";

/** Time and random numbers of the agent. Tests replace it. */
export interface AgentClock {
  /** Milliseconds since 1970, for windows, expiry and display. May jump. */
  now(): number;
  /** Monotonic milliseconds, for intervals. */
  monotonic(): number;
  /** Resolves early if `stop` is aborted. Never rejects. */
  sleep(milliseconds: number, stop: AbortSignal): Promise<void>;
  /** Returns a number from 0 inclusive to 1 exclusive. */
  random(): number;
}

export const systemClock: AgentClock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (milliseconds, stop) => await sleep(milliseconds, stop),
  random: Math.random,
};
