import { canonicalScalar } from "../core/tree/canonical.js";
import { SecretLeaf, type TreeNode } from "../core/tree/node.js";
import type { Shape } from "../core/tree/shape.js";
import { countsByAttributes, isBlankText } from "./fragment.js";

/** The text of a leaf: white space with a line break in it is layout, not text. */
export function textOf(node: TreeNode): string {
  return canonicalScalar(node.text, "exact");
}

/** True for a node that need not be written: its absence means the same, whatever empty containers are in it. */
export function saysNothing(node: TreeNode, shape: Shape): boolean {
  return isBlankText(node) || (shape.emptyIsAbsent && !countsByAttributes(node) && isHollow(node, shape));
}

/** True for an element in which nothing needs to be written. */
export function isHollow(node: TreeNode, shape: Shape): boolean {
  if (node instanceof SecretLeaf || (node.children.length === 0 && textOf(node) !== "")) return false;
  return node.children.every((child) => saysNothing(child, shape.child(child.tag)));
}
