import { SecretLeaf, type TreeNode } from "../../core/tree/node.js";

/** `src` of what the platform makes with an object by itself, and takes with it: the first rules of a security group. */
const WITH_ITS_OBJECT = "object";

/**
 * True where a template or a manager put the node: it carries `ptpl` or `loc`, or `src="tpl"` (docs/plan.md#inherited-parts); and
 * where the platform made it by itself, with the object around it (`src="object"`, docs/ownership.md#what-may-be-deleted).
 */
export function isInherited(node: TreeNode): boolean {
  const { attributes } = node;
  if (attributes === undefined) return false;
  return attributes.has("ptpl") || attributes.has("loc") || attributes.get("src") === "tpl" || goesWithItsObject(node);
}

/** True where the node is inherited, or holds what is and would not go with it. */
export function holdsInherited(node: TreeNode): boolean {
  return isInherited(node) || node.children.some(holdsLasting);
}

function holdsLasting(node: TreeNode): boolean {
  return (isInherited(node) && !goesWithItsObject(node)) || node.children.some(holdsLasting);
}

/** True when the platform created the node together with the object around it. */
export function goesWithItsObject({ attributes }: TreeNode): boolean {
  return attributes?.get("src") === WITH_ITS_OBJECT;
}

/** True where the node is or holds a stored secret. */
export function holdsSecret(node: TreeNode): boolean {
  return node instanceof SecretLeaf || node.children.some(holdsSecret);
}
