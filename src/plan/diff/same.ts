import { SecretLeaf, type TreeNode } from "../../core/tree/node.js";
import type { DesiredNode } from "../../desired/model.js";

/**
 * True where two nodes of one key are the same to the letter, children in order and nothing said about them: most nodes of
 * most trees, told without the shape. False says nothing.
 */
export function isSameAtSight(desired: DesiredNode, live: TreeNode): boolean {
  if (desired.handling !== undefined || desired.text !== live.text) return false;
  const wanted = desired.children;
  const found = live.children;
  const { length } = wanted;
  if (length !== found.length) return false;
  if (length === 0) return desired.text !== "" || !(live instanceof SecretLeaf);
  for (let i = 0; i < length; i += 1) {
    const a = wanted[i] as DesiredNode;
    const b = found[i] as TreeNode;
    if (a.tag !== b.tag || a.name !== b.name || !isSameAtSight(a, b)) return false;
  }
  return true;
}
