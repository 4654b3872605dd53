import { isInherited } from "../diff/inherited.js";
import { TreeNode } from "../tree/node.js";

/**
 * The part of a live tree that is the device's own: nodes that a template or a manager put there are left out
 * (PLAN-AND-APPLY.md 1). Where the mark stands on each inherited element, unmarked ones below it are local overrides;
 * where it stands on the topmost alone, it covers all below.
 */
export function localPart(node: TreeNode): TreeNode | undefined {
  if (isInherited(node) && (node.attributes?.has("loc") === true || !node.children.some(holdsMark))) return undefined;
  const children = node.children.map(localPart);
  const kept = children.filter((child) => child !== undefined);
  if (isInherited(node) && kept.length === 0) return undefined;
  if (kept.length === node.children.length && kept.every((child, index) => child === node.children[index])) return node;
  return new TreeNode(node.tag, node.name, node.text, kept, node.attributes);
}

function holdsMark(node: TreeNode): boolean {
  return isInherited(node) || node.children.some(holdsMark);
}
