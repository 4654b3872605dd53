/** Seeded draws: the same seed gives the same draws on every machine. */
export class Draw {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Returns an integer from 0 to `limit - 1`. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }

  /** Returns one element of a list that has at least one. */
  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  /** Returns true in `percent` of 100 draws. */
  chance(percent: number): boolean {
    return this.below(100) < percent;
  }
}
