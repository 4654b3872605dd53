import { canonicalScalar } from "./canonical-text.js";
import { childByTag } from "./lookup.js";
import type { TreeNode } from "./node.js";
import type { Shape } from "./shape.js";

/**
 * The key of an entry that has no name (FORMAT.md 3): the texts of the leaves that `list.key` lists, in canonical form,
 * absent ones as their default or `*`, joined by spaces. Texts with spaces, and a text that is `*`, are quoted.
 */
export function contentKey(entry: TreeNode, list: Shape): string {
  const shape = list.child("entry");
  return (list.key ?? []).map((tag) => keyText(childByTag(entry, tag)?.text, shape.child(tag))).join(" ");
}

function keyText(text: string | undefined, shape: Shape): string {
  const said = text === undefined || text === "" ? shape.default : text;
  if (said === undefined) return "*";
  const canonical = canonicalScalar(said, shape.equality);
  return canonical === "*" || /[\s"]/.test(canonical) ? JSON.stringify(canonical) : canonical;
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
