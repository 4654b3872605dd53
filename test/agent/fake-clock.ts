import type { AgentClock } from "../../src/agent/clock.js";

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

/** A clock that advances only when a test advances it. The wall clock can be set independently. */
export class FakeClock implements AgentClock {
  #monotonic = 0;
  #wall = Date.UTC(2026, 0, 5, 12, 0, 0);
  #sleepers = new Set<Sleeper>();
  #waiting: (() => void)[] = [];
  #random = 0.5;

  now(): number {
    return this.#wall;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  random(): number {
    return this.#random;
  }

  alwaysDraw(value: number): void {
    this.#random = value;
  }

  /** Returns whether any caller sleeps, so that advancing the time can wake it. */
  get isSleptOn(): boolean {
    return this.#sleepers.size > 0;
  }

  /** Resolves when a caller sleeps. Any number of callers may wait for this. */
  nextSleep(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  sleep(milliseconds: number, stop: AbortSignal): Promise<void> {
    for (const tell of this.#waiting.splice(0)) queueMicrotask(tell);
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#sleepers.delete(sleeper);
        stop.removeEventListener("abort", wake);
        resolve();
      };
      const sleeper: Sleeper = { until: this.#monotonic + milliseconds, wake };
      this.#sleepers.add(sleeper);
      stop.addEventListener("abort", wake, { once: true });
      if (stop.aborted) wake();
    });
  }

  advance(milliseconds: number): void {
    this.#monotonic += milliseconds;
    this.#wall += milliseconds;
    for (const sleeper of [...this.#sleepers]) if (sleeper.until <= this.#monotonic) sleeper.wake();
  }

  /** Sets the machine's clock, like an administrator or a time server. */
  jump(milliseconds: number): void {
    this.#wall += milliseconds;
  }
}
