import type { TreeNode } from "../../../core/tree/node.js";
import { applyEdit } from "../config/apply.js";
import type { EditSettings } from "../config/edit.js";
import { ConfigTree } from "../tree/config-tree.js";
import type { PendingEdit } from "./change.js";

/** Applies edits in order to a copy of `base` and returns the copy. Throws `DeviceError` if an edit depends on an edit outside the list. */
export function replay(base: TreeNode, edits: readonly PendingEdit[], settings: EditSettings): TreeNode {
  const tree = new ConfigTree(base);
  for (const { edit, stamp } of edits) applyEdit(edit, { tree, stamp, settings }, { values: false });
  return tree.freeze();
}
