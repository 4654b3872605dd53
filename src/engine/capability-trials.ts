import type { PlumblineError } from "../core/errors.js";
import type { Operation } from "../core/operation.js";
import type { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";

/** The candidate before and after the last batch of a trial. `refusal` is the platform's error, if any. */
interface Trace {
  readonly before: TreeNode;
  readonly after: TreeNode;
  readonly refusal: PlumblineError | undefined;
}

/** One question to a platform that only writing answers. */
export interface Trial {
  /** Under which the answer is remembered. */
  readonly name: string;
  readonly question: string;
  /** The last batch is the question; earlier ones prepare it. */
  readonly batches: readonly (readonly Operation[])[];
  /** The trial needs several operations in one transaction. */
  readonly needsBatches?: boolean | undefined;
  answer(trace: Trace): "yes" | "no";
}

/** Implemented by a platform with places for trials, such as an unused virtual system. */
export interface Trials {
  /** The place for an argument of the command line. Undefined if there is none. */
  place(word: string): Path | undefined;
  /** Reports whether a place is unused. `node` is its complete content. */
  isScratch(node: TreeNode): boolean;
  at(place: Path): readonly Trial[];
}
