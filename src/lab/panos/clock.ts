/** Where the lab takes its time from. Jobs, locks, keys and delays all ask it, so that a test can set it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  wait(milliseconds: number): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  wait: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
};

/**
 * A clock that moves when it is told to, and by every wait.
 *
 * @internal Of the lab as tests use it: the command's runs on time.
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
