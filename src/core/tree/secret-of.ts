import { SecretValue } from "../secret.js";
import { SecretLeaf, type TreeNode } from "./node.js";

/** The secret that a leaf holds: of a live `SecretLeaf`, or of desired state (`directive.secret`). */
export function secretOf(node: TreeNode): SecretValue | undefined {
  if (node instanceof SecretLeaf) return node.secret;
  const { directive } = node as { readonly directive?: { readonly secret?: unknown } | undefined };
  return directive?.secret instanceof SecretValue ? directive.secret : undefined;
}
