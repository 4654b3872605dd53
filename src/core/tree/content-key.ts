import { isNothing } from "./canonical-children.js";
import { canonicalScalar } from "./canonical-text.js";
import { childByTag } from "./lookup.js";
import type { TreeNode } from "./node.js";
import type { Shape } from "./shape.js";

/**
 * Returns the key of an entry without a name (docs/contributing/decisions.md#7-objects-of-clouds-as-a-tree). It consists of the canonical texts of the
 * children in `list.key`, joined by spaces. An absent child counts as its default or `*`. A child with children counts as all its leaves,
 * joined by commas. Texts with spaces, and a literal `*`, are quoted.
 */
export function contentKey(entry: TreeNode, list: Pick<Shape, "key" | "child">): string {
  const shape = list.child("entry");
  return (list.key ?? []).map((tag) => keyText(childByTag(entry, tag), shape.child(tag))).join(" ");
}

function keyText(node: TreeNode | undefined, shape: Shape): string {
  const canonical = node === undefined ? undefined : leafTexts(node, shape).join(",");
  const value = canonical === undefined || canonical === "" ? shape.default : canonical;
  if (value === undefined) return "*";
  return value === "*" || /[\s"]/.test(value) ? JSON.stringify(value) : value;
}

/** Returns the texts of all leaves with a value, in the order of the shape, or in the order of a list. */
function leafTexts(node: TreeNode, shape: Shape): string[] {
  if (node.children.length === 0) return [canonicalScalar(node.text, shape.equality)];
  const isKnown = shape.kind === "container" || shape.kind === "entry";
  const children = isKnown ? shape.knownTags.flatMap((tag) => childByTag(node, tag) ?? []) : node.children;
  return children.flatMap((child) => {
    const inner = shape.child(child.tag);
    return isNothing(child, inner) ? [] : leafTexts(child, inner);
  });
}

/** Returns the keys of the entries of one list in order. Repeated keys get `#2`, `#3` … as a suffix. */
export function contentKeys(entries: readonly TreeNode[], list: Shape): string[] {
  const seen = new Map<string, number>();
  return entries.map((entry) => {
    const key = contentKey(entry, list);
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    return count === 1 ? key : `${key} #${count}`;
  });
}
