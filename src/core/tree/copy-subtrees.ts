import { cloneTree } from "./edit/edit-tree.js";
import { find } from "./lookup.js";
import { TreeNode } from "./node.js";
import type { Path } from "./path.js";

/** Copies `subtrees` of a tree together with their ancestors. Omits subtrees that do not exist. */
export function copySubtrees(root: TreeNode, subtrees: readonly Path[]): TreeNode {
  const complete = new Set<TreeNode>();
  const frames = new Set<TreeNode>();
  for (const path of subtrees) {
    const node = find(root, path);
    if (node !== undefined) complete.add(node);
    for (let above = path.parent; above !== undefined; above = above.parent) {
      const frame = find(root, above);
      if (frame !== undefined) frames.add(frame);
    }
  }
  return copy(root, complete, frames);
}

function copy(node: TreeNode, complete: ReadonlySet<TreeNode>, frames: ReadonlySet<TreeNode>): TreeNode {
  if (complete.has(node)) return cloneTree(node);
  const children = node.children.filter((child) => complete.has(child) || frames.has(child)).map((child) => copy(child, complete, frames));
  return new TreeNode(node.tag, node.name, node.text, children, node.attributes);
}
