import type { TreeNode } from "../../core/tree/node.js";
import type { Shape } from "../../core/tree/shape.js";

/** Returns whether all match lists of an entry contain only reserved words (`any`). Then no later entry ever matches. */
export function matchesEverything(entry: TreeNode, shape: Shape): boolean {
  let lists = 0;
  for (const child of entry.children) {
    const childShape = shape.child(child.tag);
    if (!childShape.matchList) continue;
    if (!child.children.every((member) => childShape.reserved.has(member.text))) return false;
    lists += 1;
  }
  return lists > 0;
}
