import type { AgentClock } from "./clock.js";

const DAY = 86_400_000;

/**
 * Time for irreversible work, such as deleting old history. It is the wall clock, but at most one day ahead of the time that has elapsed
 * since the start of the agent. A clock that is set far ahead by mistake therefore deletes no history.
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
