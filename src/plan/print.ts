import { canonicalDigest } from "../core/tree/canonical.js";
import type { TreeNode } from "../core/tree/node.js";
import type { Shape } from "../core/tree/shape.js";

/** Number of hexadecimal digits. 128 bits distinguish any two contents, and a ledger has one fingerprint per row. */
const LENGTH = 32;

/**
 * Returns a fingerprint of a node: the digest of its canonical content, with labels instead of secrets. It has no key, so every machine
 * computes the same (docs/contributing/decisions.md#19-one-ledger-for-all-runners-with-the-origin-of-each-row).
 */
export function printOf(node: TreeNode, shape: Shape): string {
  return canonicalDigest(node, shape).slice(0, LENGTH);
}
