/** Default number of steps for one question: about ten seconds in the worst case. */
const STEPS = 50_000_000;
/** Default maximum number of boxes per answer. Larger answers are reported as a region with holes. */
const MOST_PARTS = 2000;

/** Limits for an answer. The defaults suit an interactive user. */
export interface Bounds {
  /** Comparisons of two boxes. */
  readonly steps?: number | undefined;
  /** Maximum number of boxes in an answer. */
  readonly mostParts?: number | undefined;
  /** False reports larger answers as undecided, instead of as a region with holes. */
  readonly wholes?: boolean | undefined;
}

/**
 * Remaining budget of a question, in comparisons of two boxes. Whether many boxes cover one box is a hard problem in general. When the
 * budget runs out, the answer is "undecided", and the report contains this.
 */
export class Budget {
  /** Maximum number of boxes in an answer. */
  readonly mostParts: number;
  readonly wholes: boolean;
  readonly #parent: Budget | undefined;
  #left: number;
  #seed = 0x2545f491;

  /** Steps of a share also count for its parent. */
  constructor({ steps = STEPS, mostParts = MOST_PARTS, wholes = true }: Bounds = {}, parent?: Budget) {
    this.#left = steps;
    this.mostParts = mostParts;
    this.wholes = wholes;
    this.#parent = parent;
  }

  /** Returns the remaining steps of this budget and its parents. */
  get left(): number {
    return Math.min(this.#left, this.#parent?.left ?? this.#left);
  }

  /** Uses steps. Returns false if the budget has run out. */
  spend(steps: number): boolean {
    this.#left -= steps;
    const hasParentLeft = this.#parent?.spend(steps) ?? true;
    return hasParentLeft && this.#left > 0;
  }

  /** Returns a smaller budget for one of many questions, so that enough remains for the others. */
  share(steps: number): Budget {
    return new Budget({ steps, mostParts: this.mostParts }, this);
  }

  /** Returns a number from 0 to `below`-1. The sequence is the same in every run. */
  random(below: number): number {
    this.#seed ^= this.#seed << 13;
    this.#seed ^= this.#seed >>> 17;
    this.#seed ^= this.#seed << 5;
    return (this.#seed >>> 0) % below;
  }
}
