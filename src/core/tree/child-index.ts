import type { TreeNode } from "./node.js";

/** The children of one tag: the first, and by name and by text the first of each. */
class TagIndex {
  first: TreeNode;
  readonly byName = new Map<string, TreeNode>();
  readonly byText = new Map<string, TreeNode>();
  /** Two children have one name, or one text: a change can then bring another to the front. */
  ambiguous = false;
  /** All children of the tag are leaves without a name, so that `byText` knows each of them. */
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

/** Shorter lists are searched as fast as a map answers. */
const MIN_INDEXED = 12;

/** By children array, not by node: who replaces the array leaves no stale index behind. */
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

/** First child with this tag. */
export function firstByTag(children: readonly TreeNode[], tag: string): TreeNode | undefined {
  if (children.length >= MIN_INDEXED) return indexOf(children).get(tag)?.first;
  for (const child of children) if (child.tag === tag) return child;
  return undefined;
}

/** First child with this tag and name. */
export function firstByName(children: readonly TreeNode[], tag: string, name: string): TreeNode | undefined {
  if (children.length >= MIN_INDEXED) return indexOf(children).get(tag)?.byName.get(name);
  for (const child of children) if (child.name === name && child.tag === tag) return child;
  return undefined;
}

/** First leaf without a name that has this tag and text. */
export function firstByText(children: readonly TreeNode[], tag: string, text: string): TreeNode | undefined {
  if (children.length >= MIN_INDEXED) {
    const found = indexOf(children).get(tag)?.byText.get(text);
    // A leaf that has been given children since is none any more.
    if (found === undefined || found.children.length === 0) return found;
  }
  for (const child of children) {
    if (child.tag === tag && child.text === text && child.name === undefined && child.children.length === 0) return child;
  }
  return undefined;
}

/** True when `firstByName` finds the only child of this tag and name: no two share one. */
export function hasUniqueNames(children: readonly TreeNode[], tag: string): boolean {
  return children.length >= MIN_INDEXED && indexOf(children).get(tag)?.ambiguous !== true;
}

/** True when `firstByText` finds the only child of this tag with a text: all are plain leaves, no two alike. */
export function hasUniqueTexts(children: readonly TreeNode[], tag: string): boolean {
  if (children.length < MIN_INDEXED) return false;
  const index = indexOf(children).get(tag);
  return index === undefined || (index.plain && !index.ambiguous);
}

/** Tells the index that `node` was put at the end of `children`. */
export function noteAppended(children: readonly TreeNode[], node: TreeNode): void {
  const index = indexes.get(children);
  if (index !== undefined) addTo(index, node);
}

/**
 * Tells the index that `node` is about to leave `children`, or to change its name or text. Keeps the rest of the index
 * where that is safe, else forgets it until it is next asked for.
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

/** Tells the index that `node` now stands somewhere in `children`, put there or changed. */
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

/** Tells the index that the same nodes stand in another order. */
export function noteReordered(children: readonly TreeNode[], moved: TreeNode): void {
  const index = indexes.get(children);
  const tag = index?.get(moved.tag);
  if (index === undefined || tag === undefined) return;
  if (tag.ambiguous || !replaceFirst(index, tag, children[0])) indexes.delete(children);
}

/** Where all children have one tag, the first of them is the first of its tag; elsewhere false: it is not known. */
function replaceFirst(index: Map<string, TagIndex>, tag: TagIndex, first: TreeNode | undefined): boolean {
  if (index.size !== 1 || first === undefined) return false;
  tag.first = first;
  return true;
}
