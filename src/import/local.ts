import { TreeNode } from "../core/tree/node.js";
import type { Shape } from "../core/tree/shape.js";
import { isInherited } from "../plan/diff/inherited.js";

/**
 * The part of a live tree that is the device's own: nodes that a template or a manager put there are left out
 * (docs/plan.md#inherited-parts). Where the mark stands on each inherited element, unmarked ones below it are local overrides;
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

/** Without what only the platform writes, wherever it stands: no document can say it. */
export function withoutReadOnly(node: TreeNode, shape: Shape): TreeNode {
  let changed = false;
  const children = node.children.flatMap((child) => {
    const inner = shape.child(child.tag);
    const kept = inner.readOnly === true ? undefined : child.children.length === 0 ? child : withoutReadOnly(child, inner);
    changed ||= kept !== child;
    return kept ?? [];
  });
  return changed ? new TreeNode(node.tag, node.name, node.text, children, node.attributes) : node;
}

function holdsMark(node: TreeNode): boolean {
  return isInherited(node) || node.children.some(holdsMark);
}
