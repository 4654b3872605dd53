import type { Operation } from "./operation.js";
import { deleteAt, editAt, moveAt, renameAt, setAt, type UndoLog } from "./tree/edit/edit-tree.js";
import type { TreeNode } from "./tree/node.js";

/** Applies an operation to a tree in memory, as a platform would. */
export function applyOperation(root: TreeNode, operation: Operation, log: UndoLog): void {
  switch (operation.action) {
    case "set":
      setAt(root, operation.at, [operation.element], log);
      break;
    case "edit":
      editAt(root, operation.at, operation.element, log);
      break;
    case "delete":
      deleteAt(root, operation.at, log);
      break;
    case "move":
      moveAt(root, operation.at, operation, log);
      break;
    case "rename":
      renameAt(root, operation.at, operation.newName, log);
      break;
  }
}
