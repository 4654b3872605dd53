import { cloneTree } from "./edit/clone.js";
import { mergeChildren } from "./edit/merge.js";
import { UndoLog } from "./edit/undo-log.js";
import { pathOf } from "./lookup.js";
import { TreeNode } from "./node.js";
import { Path } from "./path.js";

/** A tree without duplicate names in a list, and the paths of the merged duplicates. */
export interface Merged {
  readonly root: TreeNode;
  readonly duplicates: readonly Path[];
}

const MANY: ReadonlySet<string> = new Set(["entry", "member", "#text"]);

/**
 * Merges duplicate entries and containers, as a firewall does when it loads a file: the second is merged into the first, like `set`. Files
 * that were assembled manually or by a template contain duplicates; a device never does.
 */
export function mergeDuplicates(root: TreeNode): Merged {
  const duplicates: Path[] = [];
  return { root: merged(root, Path.root.child(root.tag), duplicates), duplicates };
}

function merged(node: TreeNode, path: Path, duplicates: Path[]): TreeNode {
  const kept: TreeNode[] = [];
  const places = new Map<string, number>();
  let changed = false;
  for (const child of node.children) {
    const merge = child.children.length === 0 ? child : merged(child, pathOf(path, child), duplicates);
    changed ||= merge !== child;
    const key = keyOf(merge);
    const place = key === undefined ? undefined : places.get(key);
    if (place === undefined) {
      if (key !== undefined) places.set(key, kept.length);
      kept.push(merge);
      continue;
    }
    duplicates.push(pathOf(path, merge));
    kept[place] = joined(kept[place] as TreeNode, merge);
    changed = true;
  }
  return changed ? new TreeNode(node.tag, node.name, node.text, kept, node.attributes) : node;
}

/** Members and entries without a name have no key. Leaves have no key either, because the device decides which leaf it keeps. */
function keyOf({ tag, name, children }: TreeNode): string | undefined {
  if (name !== undefined) return `${tag}\n${name}`;
  return MANY.has(tag) || children.length === 0 ? undefined : tag;
}

function joined(first: TreeNode, second: TreeNode): TreeNode {
  const copy = cloneTree(first);
  mergeChildren(copy, second.children, new UndoLog());
  return copy;
}
