import { sleep } from "../core/clock.js";

/** Time and chance, as the agent sees them; tests give their own. */
export interface AgentClock {
  /** Milliseconds since 1970: for windows, expiry and what people read. May jump. */
  now(): number;
  /** Milliseconds that never jump: for intervals. */
  monotonic(): number;
  /** Resolves early where `stop` is aborted; never rejects. */
  sleep(milliseconds: number, stop: AbortSignal): Promise<void>;
  /** 0 inclusive to 1 exclusive. */
  random(): number;
}

export const systemClock: AgentClock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (milliseconds, stop) => await sleep(milliseconds, stop),
  random: Math.random,
};
