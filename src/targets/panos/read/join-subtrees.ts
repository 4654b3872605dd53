import { TreeNode } from "../../../core/tree/node.js";
import type { Path } from "../../../core/tree/path.js";

/** A subtree with its path. */
export interface Branch {
  readonly path: Path;
  readonly node: TreeNode;
}

/** Joins separate subtrees into one tree under `config`. Ancestors are created once. */
export function joinSubtrees(branches: readonly Branch[]): TreeNode {
  const root = new TreeNode("config", undefined, "", []);
  const made = new Map<string, TreeNode>([["/config", root]]);
  for (const { path, node } of branches) {
    if (path.parent === undefined) continue;
    (reach(path.parent, made).children as TreeNode[]).push(node);
  }
  return root;
}

function reach(path: Path, made: Map<string, TreeNode>): TreeNode {
  const key = path.toString();
  const known = made.get(key);
  if (known !== undefined || path.parent === undefined) return known ?? (made.get("/config") as TreeNode);
  const node = new TreeNode(path.tag, path.name, "", []);
  made.set(key, node);
  (reach(path.parent, made).children as TreeNode[]).push(node);
  return node;
}
