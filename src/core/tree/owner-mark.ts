import { childByTag } from "./lookup.js";
import type { TreeNode } from "./node.js";
import type { Shape } from "./shape.js";

/** Attribute of a live entry that shares its name with others. The value is the name on the platform. */
export const SHARED_NAME = "shared-name";

/**
 * Attribute of a managed live entry that duplicates another one. `half-made`: only a create of this owner whose reply was lost can have
 * left it. `of-our-account`: the owner's account created both in two runs. Otherwise `whole`.
 */
export const DUPLICATE = "twin";

/** Attribute of a live entry that carries this owner's mark and has not changed since its create. */
export const HALF_MADE = "half-made";

const MARK_TAGS = new WeakMap<Shape, string | false>();

/** Returns the tag of the leaf that names the owner of entries with this shape. Undefined if entries have no mark. */
export function markTag(entry: Shape): string | undefined {
  if (entry.kind !== "entry") return undefined;
  let tag = MARK_TAGS.get(entry);
  if (tag === undefined) {
    tag = entry.knownTags.find((each) => entry.child(each).mark === true) ?? false;
    MARK_TAGS.set(entry, tag);
  }
  return tag === false ? undefined : tag;
}

/** Returns the owner in the mark of a live entry. Undefined if it has no mark. */
export function ownerOf(entry: TreeNode, tag: string): string | undefined {
  const text = childByTag(entry, tag)?.text;
  return text === undefined || text === "" ? undefined : text;
}

/** Returns true for a live entry of a marked list without the mark of `owner`. Such an entry must never be deleted. */
export function isUnmanaged(entry: TreeNode, shape: Shape, owner: string): boolean {
  const tag = markTag(shape);
  return tag !== undefined && ownerOf(entry, tag) !== owner;
}
