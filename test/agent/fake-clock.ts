import type { AgentClock } from "../../src/agent/clock.js";

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

/** Time that moves when a test says so; the wall clock may be set to any time without the other noticing. */
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

  /** Whether anybody sleeps: what time could wake. */
  get isSleptOn(): boolean {
    return this.#sleepers.size > 0;
  }

  /** Until somebody goes to sleep. Any number may wait for that. */
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

  /** Somebody, or a time server, sets the machine's clock. */
  jump(milliseconds: number): void {
    this.#wall += milliseconds;
  }
}
