import { perform } from "../core/perform.js";
import { cloneTree, UndoLog } from "../core/tree/edit.js";
import type { TreeNode } from "../core/tree/node.js";
import type { PlannedOperation } from "./model.js";

/** A copy of the tree as the operations leave it. Throws where one of them cannot be carried out on it. */
export function afterOperations(tree: TreeNode, operations: readonly PlannedOperation[]): TreeNode {
  const copy = cloneTree(tree);
  for (const { operation } of operations) perform(copy, operation, new UndoLog());
  return copy;
}
