import { PlumblineError } from "../../errors.js";

/** Visits that an expression may make: some seconds' worth, and a hundred walks through 10 MB of XML. */
const MOST_VISITS = 20_000_000;
/** What it costs to make the text of a node and compare it, in visits. */
export const VISITS_OF_TEXT = 10;

/** Bounds the work of an expression by the number of nodes that it looks at, each as often as it does. */
export class VisitBudget {
  readonly #most: number;
  readonly #text: string;
  #left: number;

  constructor(text: string, most: number = MOST_VISITS) {
    this.#text = text;
    this.#most = most;
    this.#left = most;
  }

  /** Ends the bound: what was found may be looked at as often as it takes to show it. */
  lift(): void {
    this.#left = Number.POSITIVE_INFINITY;
  }

  /** Throws `xpath-too-costly` once more was spent than there is. */
  spend(visits: number): void {
    this.#left -= visits;
    if (this.#left >= 0) return;
    throw new PlumblineError("xpath-too-costly", `The expression looks at more than ${this.#most.toLocaleString("en-US")} nodes.`, {
      where: { xpath: this.#text },
      next: "Begin with the whole path to the list instead of //, and compare siblings by a key instead of by preceding-sibling or following.",
    });
  }
}
