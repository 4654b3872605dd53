import { applyOperation } from "../core/apply-operation.js";
import { cloneTree, UndoLog } from "../core/tree/edit/edit-tree.js";
import type { TreeNode } from "../core/tree/node.js";
import type { PlannedOperation } from "./model.js";

/**
 * Returns a copy of the tree after the operations.
 *
 * @throws Error if an operation cannot be applied
 */
export function afterOperations(tree: TreeNode, operations: readonly PlannedOperation[]): TreeNode {
  const copy = cloneTree(tree);
  for (const { operation } of operations) applyOperation(copy, operation, new UndoLog());
  return copy;
}
