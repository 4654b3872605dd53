import { SecretLeaf, type TreeNode } from "../../core/tree/node.js";
import type { DesiredNode } from "../../desired/model.js";

/**
 * Returns whether two nodes with the same key are literally identical, with children in the same order and without handling. Most nodes
 * are, and the check needs no shape. False means that they may still be equal.
 */
export function isIdentical(desired: DesiredNode, live: TreeNode): boolean {
  if (desired.handling !== undefined || desired.text !== live.text) return false;
  const wanted = desired.children;
  const found = live.children;
  const { length } = wanted;
  if (length !== found.length) return false;
  if (length === 0) return desired.text !== "" || !(live instanceof SecretLeaf);
  for (let i = 0; i < length; i += 1) {
    const a = wanted[i] as DesiredNode;
    const b = found[i] as TreeNode;
    if (a.tag !== b.tag || a.name !== b.name || !isIdentical(a, b)) return false;
  }
  return true;
}
