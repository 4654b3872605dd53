import { arrangementOf, canonicalChildren, countingAttributes, isNothing } from "./canonical-children.js";
import { canonicalScalar } from "./canonical-text.js";
import type { TreeNode } from "./node.js";
import { secretOf } from "./secret-of.js";
import type { Shape } from "./shape.js";

/**
 * Returns true if two nodes have the same `canonicalText`, without creating the texts. Linear if both sides have the same order. Unlike in
 * `canonicalText`, two secrets are equal if their values are, and a secret never equals a text.
 */
export function equalNodes(a: TreeNode, b: TreeNode, shape: Shape): boolean {
  if (a === b) return true;
  if (!sameKey(a, b) || !equalAttributes(a, b)) return false;
  const secret = secretOf(a);
  const other = secretOf(b);
  if (secret !== undefined || other !== undefined) return secret !== undefined && secret.reveal() === other?.reveal();
  if (a.children.length === 0 && b.children.length === 0) {
    return a.text === b.text || canonicalScalar(a.text, shape.equality) === canonicalScalar(b.text, shape.equality);
  }
  return equalInOrder(a.children, b.children, shape) ?? equalChildren(a, b, shape);
}

function sameKey(a: TreeNode, b: TreeNode): boolean {
  return a.tag === b.tag && a.name === b.name;
}

/** Compares children with the same keys in the same order. Undefined if this does not decide. */
function equalInOrder(left: readonly TreeNode[], right: readonly TreeNode[], shape: Shape): boolean | undefined {
  if (left.length !== right.length) return undefined;
  for (let index = 0; index < left.length; index++) {
    const a = left[index] as TreeNode;
    const b = right[index] as TreeNode;
    if (!sameKey(a, b)) return undefined;
    const inner = shape.child(a.tag);
    if (equalNodes(a, b, inner)) continue;
    const nothings = (isNothing(a, inner) ? 1 : 0) + (isNothing(b, inner) ? 1 : 0);
    if (nothings === 2) continue;
    return nothings === 1 || arrangementOf(left, shape) === "set" ? undefined : false;
  }
  return true;
}

function equalChildren(a: TreeNode, b: TreeNode, shape: Shape): boolean {
  const left = canonicalChildren(a, shape);
  const right = canonicalChildren(b, shape);
  if (left.length !== right.length) return false;
  if (left.length === 0) return canonicalScalar(a.text, shape.equality) === canonicalScalar(b.text, shape.equality);
  return left.every((child, index) => {
    const other = right[index] as TreeNode;
    return equalNodes(child, other, shape.child(child.tag));
  });
}

function equalAttributes(a: TreeNode, b: TreeNode): boolean {
  if (a.attributes === undefined && b.attributes === undefined) return true;
  const left = countingAttributes(a);
  const right = countingAttributes(b);
  return left.length === right.length && left.every(([key, value], index) => right[index]?.[0] === key && right[index]?.[1] === value);
}
