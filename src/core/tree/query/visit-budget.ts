import { PlumblineError } from "../../errors.js";

/** Maximum number of visits for an expression: some seconds, or a hundred walks through 10 MB of XML. */
const MOST_VISITS = 20_000_000;
/** Cost of creating and comparing the text of a node, in visits. */
export const VISITS_OF_TEXT = 10;

/** Limits the work of an expression by the number of node visits. Repeated visits of a node count each time. */
export class VisitBudget {
  readonly #most: number;
  readonly #text: string;
  #left: number;

  constructor(text: string, most: number = MOST_VISITS) {
    this.#text = text;
    this.#most = most;
    this.#left = most;
  }

  /** Removes the limit, so that results can be displayed. */
  lift(): void {
    this.#left = Number.POSITIVE_INFINITY;
  }

  /** Throws `xpath-too-costly` if the budget is exceeded. */
  spend(visits: number): void {
    this.#left -= visits;
    if (this.#left >= 0) return;
    throw new PlumblineError("xpath-too-costly", `The expression visits more than ${this.#most.toLocaleString("en-US")} nodes.`, {
      where: { xpath: this.#text },
      next: "Start with the complete path to the list instead of //, and compare siblings by a key instead of by preceding-sibling or following.",
    });
  }
}
