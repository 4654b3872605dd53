import { SecretLeaf, TreeNode } from "../node.js";
import { secretOf } from "../secret-of.js";

/** Returns a deep copy of plain nodes that shares no mutable data. Secrets of the desired state become `SecretLeaf`. */
export function cloneTree(node: TreeNode, name: string | undefined = node.name): TreeNode {
  const secret = secretOf(node);
  if (secret !== undefined) return new SecretLeaf(node.tag, secret, node.attributes);
  const { children } = node;
  const copies = children.length === 0 ? undefined : children.map((child) => cloneTree(child));
  return new TreeNode(node.tag, name, node.text, copies, node.attributes);
}
