/** Source of time for the lab: jobs, locks, keys and delays. Tests inject a clock that they control. */
export interface Clock {
  /** Milliseconds since 1970-01-01 UTC. */
  now(): number;
  wait(milliseconds: number): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  wait: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
};

/**
 * A clock that only moves by `advance` and `wait`.
 *
 * @internal Only for tests: the `lab` command uses the system clock.
 */
export class ManualClock implements Clock {
  #now: number;

  constructor(start: number = Date.UTC(2026, 0, 5, 8, 0, 0)) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  advance(milliseconds: number): void {
    this.#now += milliseconds;
  }

  wait(milliseconds: number): Promise<void> {
    this.advance(milliseconds);
    return Promise.resolve();
  }
}

/** `yyyy/mm/dd hh:mm:ss`, in UTC. */
export function dateTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 19).replaceAll("-", "/").replace("T", " ");
}

/** `hh:mm:ss`, in UTC. */
export function timeOfDay(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(11, 19);
}
