import { childByTag } from "./lookup.js";
import type { TreeNode } from "./node.js";
import type { Shape } from "./shape.js";

const MARK_TAGS = new WeakMap<Shape, string | false>();

/** Tag of the leaf that names the owner of entries of this shape; undefined where entries carry no mark. */
export function markTag(entry: Shape): string | undefined {
  if (entry.kind !== "entry") return undefined;
  let tag = MARK_TAGS.get(entry);
  if (tag === undefined) {
    tag = entry.knownTags.find((each) => entry.child(each).mark === true) ?? false;
    MARK_TAGS.set(entry, tag);
  }
  return tag === false ? undefined : tag;
}

/** The owner whose mark a live entry carries; undefined where it carries none. */
export function ownerOf(entry: TreeNode, tag: string): string | undefined {
  const text = childByTag(entry, tag)?.text;
  return text === undefined || text === "" ? undefined : text;
}

/** True for a live entry of a marked list that does not carry the mark of `owner`: nothing that we may ever delete. */
export function isForeign(entry: TreeNode, shape: Shape, owner: string): boolean {
  const tag = markTag(shape);
  return tag !== undefined && ownerOf(entry, tag) !== owner;
}
