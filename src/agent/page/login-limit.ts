const WINDOW = 60_000;
const PER_ADDRESS = 5;
const IN_ALL = 60;
const ADDRESSES = 10_000;

/** How often a wrong token may be tried: five times a minute from one address, sixty from all. */
export class LoginLimit {
  readonly #now: () => number;
  readonly #failures = new Map<string, number[]>();
  #all: number[] = [];

  /** `now`: milliseconds that never jump. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Seconds to wait; 0 where one more may be tried. */
  wait(address: string): number {
    const since = this.#now() - WINDOW;
    this.#all = this.#all.filter((time) => time > since);
    const own = (this.#failures.get(address) ?? []).filter((time) => time > since);
    const first = own.length >= PER_ADDRESS ? own[0] : this.#all.length >= IN_ALL ? this.#all[0] : undefined;
    return first === undefined ? 0 : Math.max(1, Math.ceil((first - since) / 1000));
  }

  failed(address: string): void {
    const now = this.#now();
    const own = (this.#failures.get(address) ?? []).filter((time) => time > now - WINDOW);
    this.#failures.delete(address);
    this.#failures.set(address, [...own, now]);
    this.#all.push(now);
    if (this.#failures.size > ADDRESSES) this.#failures.delete(this.#failures.keys().next().value as string);
  }
}
