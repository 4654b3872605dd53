import type { PlumblineError } from "../core/errors.js";
import type { Operation } from "../core/operation.js";
import type { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";

/** What the candidate showed around the last batch of a trial; `refusal` is what the platform said instead of doing it. */
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
  /** The last one is what is asked about; those before it make what it takes. */
  readonly batches: readonly (readonly Operation[])[];
  /** Asked only where several operations are one transaction. */
  readonly needsBatches?: boolean | undefined;
  answer(trace: Trace): "yes" | "no";
}

/** Of a platform with a place that trials can be made in, such as a virtual system that nobody uses. */
export interface Trials {
  /** The place that a word of the command line means; undefined for a word that means none. */
  place(word: string): Path | undefined;
  /** Whether nobody uses a place: `node` is all that is in it. */
  isScratch(node: TreeNode): boolean;
  at(place: Path): readonly Trial[];
}
