import { canonicalDigest } from "../core/tree/canonical.js";
import type { TreeNode } from "../core/tree/node.js";
import type { Shape } from "../core/tree/shape.js";

/** Hexadecimal digits: 128 bits tell any two contents apart, and a ledger holds one for each row. */
const LENGTH = 32;

/**
 * A fingerprint of what stands at a path: the digest of its canonical content, secrets by label alone. It has no key, so every
 * machine gets the same (docs/adr/0023-one-ledger.md).
 */
export function printOf(node: TreeNode, shape: Shape): string {
  return canonicalDigest(node, shape).slice(0, LENGTH);
}
