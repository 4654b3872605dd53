import { find } from "../tree/lookup.js";
import { TreeNode } from "../tree/node.js";
import type { Path } from "../tree/path.js";

export interface Rename {
  /** The entry under its old name. */
  readonly at: Path;
  readonly newName: string;
}

/** The tree with entries called by their new names; where `copy`, the old entry stays and a copy follows at the end. Shares all else. */
export function withRenames(root: TreeNode, renames: readonly Rename[], copy: boolean): TreeNode {
  if (renames.length === 0) return root;
  const byList = new Map<string, { list: Path; names: Map<string, string> }>();
  for (const { at, newName } of renames) {
    if (at.parent === undefined || at.name === undefined) continue;
    const key = at.parent.toString();
    const group = byList.get(key) ?? { list: at.parent, names: new Map<string, string>() };
    byList.set(key, group);
    group.names.set(at.name, newName);
  }
  const replaced = new Map<TreeNode, TreeNode>();
  for (const { list, names } of byList.values()) {
    const node = find(root, list);
    if (node !== undefined) replaced.set(node, withChildren(node, renamedChildren(node, names, copy)));
    replaceAbove(root, list, replaced);
  }
  return rebuild(root, replaced);
}

function renamedChildren(list: TreeNode, names: ReadonlyMap<string, string>, copy: boolean): TreeNode[] {
  const copies: TreeNode[] = [];
  const children = list.children.map((child) => {
    const newName = child.name === undefined ? undefined : names.get(child.name);
    if (newName === undefined) return child;
    const renamed = withName(child, newName);
    if (!copy) return renamed;
    copies.push(renamed);
    return child;
  });
  return [...children, ...copies];
}

/** Marks the nodes above a changed list as changed. */
function replaceAbove(root: TreeNode, list: Path, replaced: Map<TreeNode, TreeNode>): void {
  for (let at = list.parent; at !== undefined; at = at.parent) {
    const node = find(root, at);
    if (node === undefined || replaced.has(node)) return;
    replaced.set(node, node);
  }
}

function rebuild(node: TreeNode, replaced: ReadonlyMap<TreeNode, TreeNode>): TreeNode {
  const made = replaced.get(node);
  if (made === undefined) return node;
  return made === node
    ? withChildren(
        node,
        node.children.map((child) => rebuild(child, replaced)),
      )
    : made;
}

function withChildren(node: TreeNode, children: readonly TreeNode[]): TreeNode {
  return new TreeNode(node.tag, node.name, node.text, children, node.attributes);
}

/** The same entry under another name, without marks that belong to the old one. */
export function withName(entry: TreeNode, name: string): TreeNode {
  return new TreeNode(entry.tag, name, entry.text, entry.children);
}
