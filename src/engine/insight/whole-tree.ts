import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import type { DesiredNode } from "../../desired/model.js";
import type { PolicyRole } from "../policies.js";
import type { ReadTarget, View } from "../target.js";

/** What was read of a target before its rules are asked. */
export interface ReadBefore {
  readonly target: ReadTarget;
  readonly subtrees: readonly Path[];
  readonly tree: TreeNode;
  readonly view: View;
}

/** All that rules and their names stand in, besides what was read before. */
export async function wholeTree(role: PolicyRole, desired: DesiredNode, before: ReadBefore): Promise<TreeNode> {
  return await treeWith(role.subtrees(desired), before);
}

/** What was read before and these subtrees, besides; `isFresh`: read all of it once more. */
export async function treeWith(
  subtrees: readonly Path[],
  { target, subtrees: read, tree, view }: ReadBefore,
  isFresh = false,
): Promise<TreeNode> {
  const missing = subtrees.filter((path) => !read.some((each) => each.contains(path)));
  if (missing.length === 0 && !isFresh) return tree;
  const others = read.filter((each) => !subtrees.some((path) => path.contains(each)));
  return await target.read([...others, ...subtrees], view);
}
