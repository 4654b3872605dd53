const WINDOW = 60_000;
const PER_CLIENT = 5;
const CLIENTS = 10_000;

/**
 * Limits wrong tokens to five per minute and client. A correct token is always accepted, so that no client can lock out others, such as
 * those behind the same proxy.
 */
export class LoginLimit {
  readonly #now: () => number;
  readonly #failures = new Map<string, number[]>();

  /** `now` returns monotonic milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Records a wrong token. Returns the seconds to wait, or 0 below the limit. */
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
