const WINDOW = 60_000;
const PER_CLIENT = 5;
const CLIENTS = 10_000;

/**
 * How often a client may be told that a token is wrong: five times a minute, then it is told to wait. Whoever has a right one is let in
 * all the same, so that nobody can lock out others: not those behind the same proxy, and not everybody.
 */
export class LoginLimit {
  readonly #now: () => number;
  readonly #failures = new Map<string, number[]>();

  /** `now`: milliseconds that never jump. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Takes one more wrong token in. Gives the seconds to wait; 0 where one more may be tried. */
  failed(client: string): number {
    const now = this.#now();
    const times = (this.#failures.get(client) ?? []).filter((time) => time > now - WINDOW);
    const [first = now] = times;
    if (times.length >= PER_CLIENT) return Math.max(1, Math.ceil((first + WINDOW - now) / 1000));
    this.#failures.delete(client);
    this.#failures.set(client, [...times, now]);
    if (this.#failures.size > CLIENTS) this.#failures.delete(this.#failures.keys().next().value as string);
    return 0;
  }
}
