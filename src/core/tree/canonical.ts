import { createHash } from "node:crypto";
import { writeCanonical } from "./canonical-writer.js";
import { equalNodes } from "./equal.js";
import type { TreeNode } from "./node.js";
import type { Shape } from "./shape.js";

export { canonicalScalar } from "./canonical-text.js";
export { METADATA_ATTRIBUTES } from "./metadata.js";
export { equalNodes };

/**
 * Returns one text for all trees with the same meaning (docs/contributing/architecture.md#design-decisions): without metadata attributes, unordered children sorted,
 * and absent forms omitted according to `shape`. Secrets appear only as labels, so two secrets with the same label give the same text.
 */
export function canonicalText(node: TreeNode, shape: Shape): string {
  const parts: string[] = [];
  writeCanonical(node, shape, (part) => parts.push(part));
  return parts.join("");
}

/** Returns the SHA-256 of `canonicalText` in hexadecimal digits. */
export function canonicalDigest(node: TreeNode, shape: Shape): string {
  const hash = createHash("sha256");
  writeCanonical(node, shape, (part) => hash.update(part));
  return hash.digest("hex");
}

/** Returns the number of nodes of a subtree, including its root. */
export function sizeOf(node: TreeNode): number {
  let size = 1;
  for (const child of node.children) size += sizeOf(child);
  return size;
}
