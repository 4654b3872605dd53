import { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import type { ReadTarget, View } from "../target.js";

/** What was read of a target before its rules are asked. */
interface ReadBefore {
  readonly target: ReadTarget;
  readonly subtrees: readonly Path[];
  readonly tree: TreeNode;
  readonly view: View;
  /** Of the subtrees those that stand beside what is the target's. */
  readonly borrowed?: readonly Path[] | undefined;
}

/** What was read before and these subtrees, besides; `isFresh`: read all of it once more. */
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
