/** Steps that one question may take unless told: some ten seconds at the worst. */
const STEPS = 50_000_000;
/** Boxes into which one answer is cut at most; what would need more is told as a whole with holes. */
const MOST_PARTS = 2000;

/** How much an answer may cost; left out: as much as a person would wait for. */
export interface Bounds {
  /** Comparisons of two boxes. */
  readonly steps?: number | undefined;
  /** Boxes into which one answer is cut. */
  readonly mostParts?: number | undefined;
  /** False: what would need more is undecided, and not told as a whole with holes. */
  readonly wholes?: boolean | undefined;
}

/**
 * What a question may still cost, in comparisons of two boxes. Whether many boxes cover one is hard in general: where a
 * question runs out, the answer is "undecided", and is said.
 */
export class Effort {
  /** Boxes into which an answer may be cut. */
  readonly mostParts: number;
  readonly wholes: boolean;
  readonly #whole: Effort | undefined;
  #left: number;
  #seed = 0x2545f491;

  /** Steps of a share are taken off the whole too. */
  constructor({ steps = STEPS, mostParts = MOST_PARTS, wholes = true }: Bounds = {}, whole?: Effort) {
    this.#left = steps;
    this.mostParts = mostParts;
    this.wholes = wholes;
    this.#whole = whole;
  }

  /** Steps that are left of it and of what it is a share of. */
  get left(): number {
    return Math.min(this.#left, this.#whole?.left ?? this.#left);
  }

  /** False once it has run out. */
  spend(steps: number): boolean {
    this.#left -= steps;
    const whole = this.#whole?.spend(steps) ?? true;
    return whole && this.#left > 0;
  }

  /** For one of many questions: it runs out earlier, the others go on. */
  share(steps: number): Effort {
    return new Effort({ steps, mostParts: this.mostParts }, this);
  }

  /** 0 to `below`-1, the same row of numbers in every run. */
  random(below: number): number {
    this.#seed ^= this.#seed << 13;
    this.#seed ^= this.#seed >>> 17;
    this.#seed ^= this.#seed << 5;
    return (this.#seed >>> 0) % below;
  }
}
