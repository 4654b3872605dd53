import type { AgentClock } from "./clock.js";

const DAY = 86_400_000;

/**
 * The time for what cannot be undone, such as deleting old history: the wall clock, but never more than a day ahead of the
 * time that has really gone by since the agent began. A clock that is set far ahead by mistake takes no history with it.
 */
export class SteadyTime {
  readonly #clock: AgentClock;
  readonly #began: number;

  constructor(clock: AgentClock) {
    this.#clock = clock;
    this.#began = clock.now() - clock.monotonic();
  }

  now(): number {
    return Math.min(this.#clock.now(), this.#began + this.#clock.monotonic() + DAY);
  }
}
