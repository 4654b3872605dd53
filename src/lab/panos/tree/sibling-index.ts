import type { TreeNode } from "../../../core/tree/node.js";

/** With fewer siblings than this, a scan is as fast as a map. */
const SMALL = 12;

const indexes = new WeakMap<readonly TreeNode[], Map<string, TreeNode>>();

/** Returns the first child with this tag, and with this name or text if given. */
export function findChild(children: readonly TreeNode[], tag: string, name?: string, text?: string): TreeNode | undefined {
  if (children.length < SMALL || (name === undefined && text === undefined)) {
    return children.find(
      (node) => node.tag === tag && (name === undefined || node.name === name) && (text === undefined || node.text === text),
    );
  }
  return indexOf(children).get(name === undefined ? textKey(tag, text ?? "") : nameKey(tag, name));
}

/**
 * Updates the index of `children` after `node` was added. If the key already exists, discards the index, because a new index must record
 * the duplicate.
 */
export function noteAdded(children: readonly TreeNode[], node: TreeNode): void {
  const index = indexes.get(children);
  if (index === undefined) return;
  const key = keyOf(node);
  if (key === undefined) return;
  if (index.has(key)) indexes.delete(children);
  else index.set(key, node);
}

/** Updates the index of `children` after `node` was removed. */
export function noteRemoved(children: readonly TreeNode[], node: TreeNode): void {
  const index = indexes.get(children);
  const key = keyOf(node);
  if (index === undefined || key === undefined) return;
  if (index.get(key) === node) index.delete(key);
  if (duplicated.has(children)) indexes.delete(children);
}

/** Lists with duplicate keys. After the first node is removed, the second must be found, so the index is rebuilt. */
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
