import { createHash } from "node:crypto";
import { writeCanonical } from "./canonical-writer.js";
import { equalNodes } from "./equal.js";
import type { TreeNode } from "./node.js";
import type { Shape } from "./shape.js";

export { canonicalScalar } from "./canonical-text.js";
export { METADATA_ATTRIBUTES } from "./metadata.js";
export { equalNodes };

/**
 * One text for all trees that mean the same (docs/design.md#one-tree): metadata attributes gone, what has no order sorted, absent
 * forms left out as `shape` says. Secrets show their label alone, so that two secrets of one label give one text.
 */
export function canonicalText(node: TreeNode, shape: Shape): string {
  const parts: string[] = [];
  writeCanonical(node, shape, (part) => parts.push(part));
  return parts.join("");
}

/** SHA-256 of `canonicalText`, in hexadecimal. */
export function canonicalDigest(node: TreeNode, shape: Shape): string {
  const hash = createHash("sha256");
  writeCanonical(node, shape, (part) => hash.update(part));
  return hash.digest("hex");
}

/** Nodes of a subtree, its root included. */
export function sizeOf(node: TreeNode): number {
  let size = 1;
  for (const child of node.children) size += sizeOf(child);
  return size;
}
