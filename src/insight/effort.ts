/** Default number of steps per question: about ten seconds in the worst case. */
const STEPS = 50_000_000;
/** Maximum number of boxes per answer. A larger answer is reported as a region with holes. */
const MOST_PARTS = 2000;

/** Limits of a calculation. Defaults suit interactive use. */
export interface Bounds {
  /** Comparisons of two boxes. */
  readonly steps?: number | undefined;
  /** Boxes into which one answer is cut. */
  readonly mostParts?: number | undefined;
  /** False: larger answers are undecided, not reported as a region with holes. */
  readonly wholes?: boolean | undefined;
}

/**
 * Remaining effort of a question, in comparisons of two boxes. Finding out whether many boxes cover one is hard in general. If the effort
 * runs out, the answer is "undecided" and reported as such.
 */
export class Effort {
  /** Boxes into which an answer may be cut. */
  readonly mostParts: number;
  readonly wholes: boolean;
  readonly #whole: Effort | undefined;
  #left: number;
  #seed = 0x2545f491;

  /** Steps of a share also count for the parent. */
  constructor({ steps = STEPS, mostParts = MOST_PARTS, wholes = true }: Bounds = {}, whole?: Effort) {
    this.#left = steps;
    this.mostParts = mostParts;
    this.wholes = wholes;
    this.#whole = whole;
  }

  /** Remaining steps, limited by those of the parent. */
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
