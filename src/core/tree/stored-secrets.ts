import { SecretValue } from "../secret.js";
import { SecretLeaf, type TreeNode } from "./node.js";
import type { Shape } from "./shape.js";

const CIPHERTEXT = /^\s*-AQ==[A-Za-z0-9+/=]+\s*$/;
const CRYPT = /^\s*\$[1-6][a-z]?\$[^$\s]+\$\S+\s*$/;

/** Text that replaces a secret stored by a device. */
export const STORED_SECRET = "«stored secret»";

/** Returns true for text that only a device creates from a secret: its ciphertext (`-AQ==…`) or a crypt hash (`$1$…`, `$5$…`, `$6$…`). */
export function isDeviceSecret(text: string): boolean {
  return CIPHERTEXT.test(text) || CRYPT.test(text);
}

/**
 * Replaces every leaf of a live tree that contains a secret (by the shape of its place or by its text) with a `SecretLeaf`, in place, and
 * returns the tree. `shape` is that of `root`. Runs in one pass and allocates nothing for other nodes. Members are names and values that
 * users choose, never secrets. Must be called before the first child lookup.
 */
export function protectSecrets(root: TreeNode, shape: Shape): TreeNode {
  protectChildren(root, shape);
  return holdsSecret(root, shape) ? secretLeaf(root) : root;
}

function protectChildren(parent: TreeNode, shape: Shape): void {
  const children = parent.children as TreeNode[];
  let tag: string | undefined;
  let below = shape;
  for (let index = 0; index < children.length; index++) {
    const child = children[index] as TreeNode;
    if (child.tag !== tag || child.name !== undefined) {
      tag = child.tag;
      below = shape.child(tag, child.name);
    }
    if (child.children.length > 0) protectChildren(child, below);
    else if (tag !== "member" && holdsSecret(child, below)) children[index] = secretLeaf(child);
  }
}

function holdsSecret(node: TreeNode, shape: Shape): boolean {
  return node.text !== "" && node.children.length === 0 && !(node instanceof SecretLeaf) && (shape.secret || isDeviceSecret(node.text));
}

function secretLeaf(node: TreeNode): SecretLeaf {
  const leaf = new SecretLeaf(node.tag, new SecretValue(node.text, STORED_SECRET), node.attributes);
  leaf.name = node.name;
  return leaf;
}
