import type { AgentClock } from "./clock.js";

/** Lets the loop sleep until work is due or `call` wakes it. */
export class WakeableSleep {
  readonly #clock: AgentClock;
  #woken = false;
  #sleeper: AbortController | undefined;

  constructor(clock: AgentClock) {
    this.#clock = clock;
  }

  /** Ends the current sleep, or skips the next one. */
  call(): void {
    this.#woken = true;
    this.#sleeper?.abort();
  }

  async sleep(milliseconds: number, stop: AbortSignal): Promise<void> {
    if (!this.#woken && !stop.aborted && milliseconds > 0) {
      const sleeper = new AbortController();
      const end = (): void => sleeper.abort();
      stop.addEventListener("abort", end, { once: true });
      this.#sleeper = sleeper;
      await this.#clock.sleep(milliseconds, sleeper.signal);
      this.#sleeper = undefined;
      stop.removeEventListener("abort", end);
    }
    this.#woken = false;
  }
}
