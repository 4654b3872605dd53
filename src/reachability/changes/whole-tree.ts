import { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import type { View } from "../../plan/platform.js";
import type { PolicyTarget } from "../policy-target.js";

/** A tree that was read before. */
interface ReadBefore {
  readonly target: PolicyTarget;
  readonly subtrees: readonly Path[];
  readonly tree: TreeNode;
  readonly view: View;
  /** Subtrees with data of other services. */
  readonly borrowed?: readonly Path[] | undefined;
}

/** Returns the tree with additional subtrees. `isFresh`: reads all subtrees again. */
export async function treeWith(
  subtrees: readonly Path[],
  { target, subtrees: read, tree, view, borrowed = [] }: ReadBefore,
  isFresh = false,
): Promise<TreeNode> {
  const missing = subtrees.filter((path) => !read.some((each) => each.contains(path)));
  if (missing.length === 0 && !isFresh) return tree;
  if (!isFresh && missing.every((path) => borrowed.some((each) => each.equals(path)))) {
    const { children } = await target.read(missing, view);
    return new TreeNode(tree.tag, tree.name, tree.text, [...tree.children, ...children], tree.attributes);
  }
  const others = read.filter((each) => !subtrees.some((path) => path.contains(each)));
  return await target.read([...others, ...subtrees], view);
}
