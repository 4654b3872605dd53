import { SecretLeaf, type TreeNode } from "../../core/tree/node.js";

/** `src` of nodes that the platform creates and deletes together with an object, such as the default rules of a security group. */
const WITH_ITS_OBJECT = "object";

/**
 * Returns whether Plumbline did not put the node there. A node from a template or manager carries `ptpl`, `loc` or `src="tpl"`
 * (docs/contributing/plan.md#inherited-parts). A node that the platform created together with its object carries `src="object"`
 * (docs/ownership.md#what-may-be-deleted).
 */
export function isInherited(node: TreeNode): boolean {
  const { attributes } = node;
  if (attributes === undefined) return false;
  return attributes.has("ptpl") || attributes.has("loc") || attributes.get("src") === "tpl" || isDeletedWithObject(node);
}

/** Returns whether the node is inherited, or contains inherited nodes that would not be deleted with it. */
export function holdsInherited(node: TreeNode): boolean {
  return isInherited(node) || node.children.some(holdsLasting);
}

function holdsLasting(node: TreeNode): boolean {
  return (isInherited(node) && !isDeletedWithObject(node)) || node.children.some(holdsLasting);
}

/** Returns whether the platform created the node together with the object around it. */
export function isDeletedWithObject({ attributes }: TreeNode): boolean {
  return attributes?.get("src") === WITH_ITS_OBJECT;
}

/** Returns whether the node is or contains a stored secret. */
export function holdsSecret(node: TreeNode): boolean {
  return node instanceof SecretLeaf || node.children.some(holdsSecret);
}
