import { createHash } from "node:crypto";

/** Random numbers from a seed: the same seed and name give the same numbers, independent of other draws. */
export class Chance {
  #state: number;

  constructor(seed: number, name: string) {
    this.#state = createHash("sha256").update(`${seed} ${name}`).digest().readUInt32LE();
  }

  /** 0 inclusive to 1 exclusive. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** An integer from `least` to `most`, both included. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  isLikely(probability: number): boolean {
    return this.next() < probability;
  }

  of<T>(choices: readonly [T, ...T[]]): T {
    return choices[this.whole(0, choices.length - 1)] ?? choices[0];
  }

  /** One of the keys, with probability proportional to its weight. */
  weighed<T extends string>(weights: Readonly<Record<T, number>>): T {
    const entries = Object.entries<number>(weights) as [T, number][];
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [choice, weight] of entries) {
      left -= weight;
      if (left < 0) return choice;
    }
    throw new Error("nothing to choose from");
  }

  hexadecimal(digits: number): string {
    return Array.from({ length: digits }, () => this.whole(0, 15).toString(16)).join("");
  }
}
