import type { TreeNode } from "../tree/node.js";
import type { Path } from "../tree/path.js";

const SMALL = 8;
const indexes = new WeakMap<TreeNode, Map<string, TreeNode>>();

/** The child that has the same key as `like`: entries by name, members by text, others by tag. Large lists are indexed once. */
export function counterpart(parent: TreeNode, like: TreeNode): TreeNode | undefined {
  return childAt(parent, like.tag, like.name, like.tag === "member" ? like.text : undefined);
}

/** The node at `path` below `root`, which stands for the path's first step. */
export function nodeAt(root: TreeNode, path: Path): TreeNode | undefined {
  let node: TreeNode | undefined = root;
  for (const step of path.steps().slice(1)) {
    if (node === undefined) return undefined;
    node = childAt(node, step.tag, step.name, step.text);
  }
  return node;
}

function childAt(parent: TreeNode, tag: string, name: string | undefined, text: string | undefined): TreeNode | undefined {
  const children = parent.children;
  if (children.length <= SMALL) {
    return children.find((child) => child.tag === tag && child.name === name && (text === undefined || child.text === text));
  }
  let index = indexes.get(parent);
  if (index === undefined) {
    index = new Map();
    for (let i = children.length - 1; i >= 0; i -= 1) {
      const child = children[i];
      if (child !== undefined) index.set(keyOf(child.tag, child.name, child.tag === "member" ? child.text : undefined), child);
    }
    indexes.set(parent, index);
  }
  return index.get(keyOf(tag, name, text));
}

function keyOf(tag: string, name: string | undefined, text: string | undefined): string {
  return name !== undefined ? `${tag}@${name}` : text !== undefined ? `${tag}=${text}` : tag;
}

/** The path of a child, in the form that addresses it. */
export function pathOf(parent: Path, child: TreeNode): Path {
  if (child.name !== undefined) return parent.entry(child.name, child.tag);
  return child.tag === "member" ? parent.member(child.text) : parent.child(child.tag);
}
