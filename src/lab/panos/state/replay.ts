import type { TreeNode } from "../../../core/tree/node.js";
import { applyEdit } from "../config/apply.js";
import type { EditSettings } from "../config/edit.js";
import { ConfigTree } from "../tree/config-tree.js";
import type { PendingEdit } from "./change.js";

/** `base` with the edits applied to it in order; `base` stays as it is. Throws `DeviceError` where an edit needs one that is left out. */
export function replay(base: TreeNode, edits: readonly PendingEdit[], settings: EditSettings): TreeNode {
  const tree = new ConfigTree(base);
  for (const { edit, stamp } of edits) applyEdit(edit, { tree, stamp, settings }, { values: false });
  return tree.freeze();
}
