import type { AgentClock } from "../clock.js";

/**
 * Clock of an agent that shares a store. Its wall clock is the one of the database, so that the history of all agents has one order. Before
 * the first answer, and between two answers, it continues with the clock of this machine.
 */
export class DatabaseClock implements AgentClock {
  readonly #machine: AgentClock;
  #last: { readonly time: number; readonly at: number } | undefined;

  constructor(machine: AgentClock) {
    this.#machine = machine;
  }

  now(): number {
    return this.#last === undefined ? this.#machine.now() : Math.round(this.#last.time + this.monotonic() - this.#last.at);
  }

  monotonic(): number {
    return this.#machine.monotonic();
  }

  async sleep(milliseconds: number, stop: AbortSignal): Promise<void> {
    await this.#machine.sleep(milliseconds, stop);
  }

  random(): number {
    return this.#machine.random();
  }

  /** Sets the time that the database had between `requestedAt` and now, both on the monotonic clock. */
  set(time: number, requestedAt: number): void {
    this.#last = { time, at: (requestedAt + this.monotonic()) / 2 };
  }
}
