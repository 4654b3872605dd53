import { childByTag, childEntry, childMember } from "../core/tree/lookup.js";
import type { TreeNode } from "../core/tree/node.js";

/** Returns the child with the same key as `like`: entries by name, members by text, others by tag. */
export function counterpart(parent: TreeNode, like: TreeNode): TreeNode | undefined {
  if (like.name !== undefined) return childEntry(parent, like.name, like.tag);
  return like.tag === "member" && like.children.length === 0 ? childMember(parent, like.text, like.tag) : childByTag(parent, like.tag);
}
