import type { TreeNode } from "../../../core/tree/node.js";

/** Below this many siblings a scan is as fast as a map. */
const SMALL = 12;

const indexes = new WeakMap<readonly TreeNode[], Map<string, TreeNode>>();

/** First child with this tag, and this name or text where one is given. */
export function findChild(children: readonly TreeNode[], tag: string, name?: string, text?: string): TreeNode | undefined {
  if (children.length < SMALL || (name === undefined && text === undefined)) {
    return children.find(
      (node) => node.tag === tag && (name === undefined || node.name === name) && (text === undefined || node.text === text),
    );
  }
  return indexOf(children).get(name === undefined ? textKey(tag, text ?? "") : nameKey(tag, name));
}

/** Keeps the index of `children` true after `node` was put among them. A second node of one key is found only by a new index. */
export function noteAdded(children: readonly TreeNode[], node: TreeNode): void {
  const index = indexes.get(children);
  if (index === undefined) return;
  const key = keyOf(node);
  if (key === undefined) return;
  if (index.has(key)) indexes.delete(children);
  else index.set(key, node);
}

/** Keeps the index of `children` true after `node` left them. */
export function noteRemoved(children: readonly TreeNode[], node: TreeNode): void {
  const index = indexes.get(children);
  const key = keyOf(node);
  if (index === undefined || key === undefined) return;
  if (index.get(key) === node) index.delete(key);
  if (duplicated.has(children)) indexes.delete(children);
}

/** Lists in which some key stands twice: removing the first brings up the second, so their index is made again. */
const duplicated = new WeakSet<readonly TreeNode[]>();

function indexOf(children: readonly TreeNode[]): Map<string, TreeNode> {
  const known = indexes.get(children);
  if (known !== undefined) return known;
  const made = new Map<string, TreeNode>();
  for (const node of children) {
    const key = keyOf(node);
    if (key === undefined) continue;
    if (made.has(key)) duplicated.add(children);
    else made.set(key, node);
  }
  indexes.set(children, made);
  return made;
}

function keyOf(node: TreeNode): string | undefined {
  if (node.name !== undefined) return nameKey(node.tag, node.name);
  return node.children.length === 0 ? textKey(node.tag, node.text) : undefined;
}

function nameKey(tag: string, name: string): string {
  return `${tag}@${name}`;
}

function textKey(tag: string, text: string): string {
  return `${tag}=${text}`;
}
