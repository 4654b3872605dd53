import { canonicalScalar } from "../core/tree/canonical.js";
import { SecretLeaf, type TreeNode } from "../core/tree/node.js";
import type { Shape } from "../core/tree/shape.js";
import { countsByAttributes, isBlankText } from "./fragment.js";

/** Returns the text of a leaf. White space with a line break is layout and is ignored. */
export function textOf(node: TreeNode): string {
  return canonicalScalar(node.text, "exact");
}

/** Returns whether a node can be omitted, because a missing node has the same meaning. It may contain empty containers. */
export function isWithoutMeaning(node: TreeNode, shape: Shape): boolean {
  return isBlankText(node) || (shape.emptyIsAbsent && !countsByAttributes(node) && isHollow(node, shape));
}

/** Returns whether an element contains nothing that must be written. */
export function isHollow(node: TreeNode, shape: Shape): boolean {
  if (node instanceof SecretLeaf || (node.children.length === 0 && textOf(node) !== "")) return false;
  return node.children.every((child) => isWithoutMeaning(child, shape.child(child.tag)));
}
