import { isNothing } from "./canonical-children.js";
import { canonicalScalar } from "./canonical-text.js";
import { childByTag } from "./lookup.js";
import type { TreeNode } from "./node.js";
import type { Shape } from "./shape.js";

/**
 * The key of an entry that has no name (docs/adr/0011-objects-of-clouds-as-a-tree.md): the texts of the children that `list.key` lists, in canonical form,
 * absent ones as their default or `*`, joined by spaces. A child that holds others counts with all leaves in it, joined by
 * commas. Texts with spaces, and a text that is `*`, are quoted.
 */
export function contentKey(entry: TreeNode, list: Pick<Shape, "key" | "child">): string {
  const shape = list.child("entry");
  return (list.key ?? []).map((tag) => keyText(childByTag(entry, tag), shape.child(tag))).join(" ");
}

function keyText(node: TreeNode | undefined, shape: Shape): string {
  const canonical = node === undefined ? undefined : leafTexts(node, shape).join(",");
  const said = canonical === undefined || canonical === "" ? shape.default : canonical;
  if (said === undefined) return "*";
  return said === "*" || /[\s"]/.test(said) ? JSON.stringify(said) : said;
}

/** Texts of all leaves that say something, in the order of the shape, or of the list where they stand in one. */
function leafTexts(node: TreeNode, shape: Shape): string[] {
  if (node.children.length === 0) return [canonicalScalar(node.text, shape.equality)];
  const isKnown = shape.kind === "container" || shape.kind === "entry";
  const children = isKnown ? shape.knownTags.flatMap((tag) => childByTag(node, tag) ?? []) : node.children;
  return children.flatMap((child) => {
    const inner = shape.child(child.tag);
    return isNothing(child, inner) ? [] : leafTexts(child, inner);
  });
}

/** Keys of the entries of one list in order, those that were there before with `#2`, `#3` … behind them. */
export function contentKeys(entries: readonly TreeNode[], list: Shape): string[] {
  const seen = new Map<string, number>();
  return entries.map((entry) => {
    const key = contentKey(entry, list);
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    return count === 1 ? key : `${key} #${count}`;
  });
}
