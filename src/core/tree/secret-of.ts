import { SecretValue } from "../secret.js";
import { SecretLeaf, type TreeNode } from "./node.js";

/** Returns the secret of a live `SecretLeaf` or of a leaf of the desired state (`handling.secret`). */
export function secretOf(node: TreeNode): SecretValue | undefined {
  if (node instanceof SecretLeaf) return node.secret;
  const { handling } = node as { readonly handling?: { readonly secret?: unknown } | undefined };
  return handling?.secret instanceof SecretValue ? handling.secret : undefined;
}
