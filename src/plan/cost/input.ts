import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import type { Shape } from "../../core/tree/shape.js";
import type { DesiredNode } from "../../desired/model.js";
import type { Diff } from "../diff/change.js";

/** Input of `chooseFragments` in `src/plan/cost/choose-fragments.ts`. The trees are the compared ones. */
export interface CostInput {
  readonly diff: Diff;
  /** Root element, ignores applied. */
  readonly desired: DesiredNode;
  readonly live: TreeNode;
  /** Shape of the root element. */
  readonly shape: Shape;
  readonly rewriteLists: "never" | "allowed";
  /** Operations share a request, so that each weighs less (`operationWeight`). */
  readonly atomicBatch: boolean;
  /** The platform renames in place; otherwise a rename is a create and a delete. */
  readonly rename: boolean;
  /** Only this subtree was compared: no node above it may be replaced. */
  readonly only?: Path | undefined;
}
