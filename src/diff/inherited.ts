import { SecretLeaf, type TreeNode } from "../tree/node.js";

/** True where a template or a manager put the node: it carries `ptpl` or `loc`, or `src="tpl"` (PLAN-AND-APPLY.md 1). */
export function isInherited(node: TreeNode): boolean {
  const { attributes } = node;
  return attributes !== undefined && (attributes.has("ptpl") || attributes.has("loc") || attributes.get("src") === "tpl");
}

/** True where the node or anything below it is inherited. */
export function holdsInherited(node: TreeNode): boolean {
  return isInherited(node) || node.children.some(holdsInherited);
}

/** True where the node is or holds a stored secret. */
export function holdsSecret(node: TreeNode): boolean {
  return node instanceof SecretLeaf || node.children.some(holdsSecret);
}
