import { canonicalScalar } from "../../core/tree/canonical.js";
import { isNothing } from "../../core/tree/canonical-children.js";
import { SecretLeaf, type TreeNode } from "../../core/tree/node.js";
import type { Shape } from "../../core/tree/shape.js";
import type { DesiredNode } from "../../desired/model.js";

/** Returns whether two texts of a leaf or member are equivalent. */
export function sameText(a: string, b: string, equality: Shape["equality"]): boolean {
  return a === b || canonicalScalar(a, equality) === canonicalScalar(b, equality);
}

/** Returns whether a desired node is equivalent to its absence, or is ignored. Never true for secrets, `${keep}` and entries. */
export function wantsNothing(node: DesiredNode, shape: Shape): boolean {
  const { handling } = node;
  if (handling?.ignored === true) return true;
  if (handling?.keep === true || handling?.secret !== undefined || handling?.unresolved !== undefined || node.name !== undefined)
    return false;
  if (node.children.length === 0) return handling?.exclude !== undefined || isNothing(node, shape);
  if (node.children.every(holdsOnlyIgnored)) return true;
  return shape.emptyIsAbsent && node.children.every((child) => wantsNothing(child, shape.child(child.tag)));
}

/** Returns whether a node is ignored, or is a container of ignored nodes only. */
function holdsOnlyIgnored(node: DesiredNode): boolean {
  const { handling, children, name } = node;
  if (handling?.ignored === true) return true;
  if (handling?.keep === true || name !== undefined) return false;
  return children.length === 0 ? handling?.exclude !== undefined : children.every(holdsOnlyIgnored);
}

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
