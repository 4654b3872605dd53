import type { TreeNode } from "./node.js";

/** Index of the children with one tag: the first child, and the first child for each name and each text. */
class TagIndex {
  first: TreeNode;
  readonly byName = new Map<string, TreeNode>();
  readonly byText = new Map<string, TreeNode>();
  /** Two children have the same name or the same text, so a change can make another child the first. */
  ambiguous = false;
  /** All children with the tag are leaves without a name, so `byText` contains all of them. */
  plain = true;

  constructor(first: TreeNode) {
    this.first = first;
  }

  add(node: TreeNode): void {
    if (node.name !== undefined || node.children.length > 0) this.plain = false;
    if (node.name !== undefined) {
      if (this.byName.has(node.name)) this.ambiguous = true;
      else this.byName.set(node.name, node);
    } else if (node.children.length === 0) {
      if (this.byText.has(node.text)) this.ambiguous = true;
      else this.byText.set(node.text, node);
    }
  }
}

/** Searching a shorter list is as fast as a map. */
const MIN_INDEXED = 12;

/** Keyed by the children array, not by the node: code that replaces the array leaves no outdated index. */
const indexes = new WeakMap<readonly TreeNode[], Map<string, TagIndex>>();

function indexOf(children: readonly TreeNode[]): Map<string, TagIndex> {
  const known = indexes.get(children);
  if (known !== undefined) return known;
  const made = new Map<string, TagIndex>();
  for (const child of children) addTo(made, child);
  indexes.set(children, made);
  return made;
}

function addTo(index: Map<string, TagIndex>, node: TreeNode): void {
  let tag = index.get(node.tag);
  if (tag === undefined) {
    tag = new TagIndex(node);
    index.set(node.tag, tag);
  }
  tag.add(node);
}

/** Returns the first child with this tag. */
export function firstByTag(children: readonly TreeNode[], tag: string): TreeNode | undefined {
  if (children.length >= MIN_INDEXED) return indexOf(children).get(tag)?.first;
  for (const child of children) if (child.tag === tag) return child;
  return undefined;
}

/** Returns the first child with this tag and name. */
export function firstByName(children: readonly TreeNode[], tag: string, name: string): TreeNode | undefined {
  if (children.length >= MIN_INDEXED) return indexOf(children).get(tag)?.byName.get(name);
  for (const child of children) if (child.name === name && child.tag === tag) return child;
  return undefined;
}

/** Returns the first leaf without a name that has this tag and text. */
export function firstByText(children: readonly TreeNode[], tag: string, text: string): TreeNode | undefined {
  if (children.length >= MIN_INDEXED) {
    const found = indexOf(children).get(tag)?.byText.get(text);
    // A leaf with new children is no longer a leaf.
    if (found === undefined || found.children.length === 0) return found;
  }
  for (const child of children) {
    if (child.tag === tag && child.text === text && child.name === undefined && child.children.length === 0) return child;
  }
  return undefined;
}

/** Returns true if no two children with this tag share a name: `firstByName` finds the only match. False for short lists. */
export function hasUniqueNames(children: readonly TreeNode[], tag: string): boolean {
  return children.length >= MIN_INDEXED && indexOf(children).get(tag)?.ambiguous !== true;
}

/**
 * Returns true if all children with this tag are plain leaves with different texts: `firstByText` finds the only match. False for short
 * lists.
 */
export function hasUniqueTexts(children: readonly TreeNode[], tag: string): boolean {
  if (children.length < MIN_INDEXED) return false;
  const index = indexOf(children).get(tag);
  return index === undefined || (index.plain && !index.ambiguous);
}

/** Updates the index after `node` was appended to `children`. */
export function noteAppended(children: readonly TreeNode[], node: TreeNode): void {
  const index = indexes.get(children);
  if (index !== undefined) addTo(index, node);
}

/**
 * Updates the index before `node` leaves `children` or changes its name or text. Keeps the rest of the index if this is safe, otherwise
 * discards it until the next lookup.
 */
export function noteLeaving(children: readonly TreeNode[], node: TreeNode): void {
  const index = indexes.get(children);
  const tag = index?.get(node.tag);
  if (index === undefined || tag === undefined) return;
  if (tag.ambiguous || (tag.first === node && !replaceFirst(index, tag, children[1]))) {
    indexes.delete(children);
    return;
  }
  if (node.name !== undefined) tag.byName.delete(node.name);
  else tag.byText.delete(node.text);
}

/** Updates the index after `node` was inserted in `children` or changed. */
export function notePlaced(children: readonly TreeNode[], node: TreeNode): void {
  const index = indexes.get(children);
  const tag = index?.get(node.tag);
  if (index === undefined) return;
  if (tag === undefined || !replaceFirst(index, tag, children[0])) {
    indexes.delete(children);
    return;
  }
  tag.add(node);
  if (tag.ambiguous) indexes.delete(children);
}

/** Updates the index after the nodes were reordered. */
export function noteReordered(children: readonly TreeNode[], moved: TreeNode): void {
  const index = indexes.get(children);
  const tag = index?.get(moved.tag);
  if (index === undefined || tag === undefined) return;
  if (tag.ambiguous || !replaceFirst(index, tag, children[0])) indexes.delete(children);
}

/** If all children have the same tag, the first child is the first of its tag. Otherwise returns false: the first of the tag is unknown. */
function replaceFirst(index: Map<string, TagIndex>, tag: TagIndex, first: TreeNode | undefined): boolean {
  if (index.size !== 1 || first === undefined) return false;
  tag.first = first;
  return true;
}
