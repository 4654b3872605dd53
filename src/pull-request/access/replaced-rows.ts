import type { Edit } from "../../access/edit.js";
import { cloneTree } from "../../core/tree/edit/edit-tree.js";
import { find } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import type { DesiredNode } from "../../desired/model.js";
import type { Change } from "../../plan/diff/change.js";
import { refuse } from "../propose/refusal.js";

type Replacement = Extract<Edit, { kind: "replace" }>;

/**
 * Combines replacements of the same entry, and applies a replacement of a new entry to the new entry. Omits edits inside new entries, because
 * these are written as they are after all edits.
 */
export function settled(edits: readonly Edit[]): readonly Edit[] {
  const found: Edit[] = [];
  for (const edit of edits) {
    const target = "list" in edit ? edit.list : edit.at;
    const isInside = (made: Path | undefined) => made?.contains(target) === true && !made.equals(target);
    if (found.some((each) => each.kind === "entry" && isInside(resultOf(each)))) continue;
    if (edit.kind !== "replace") {
      found.push(edit);
      continue;
    }
    const at = found.findIndex((each) => resultOf(each)?.equals(edit.at) === true);
    const before = found[at];
    if (before?.kind === "entry" || before?.kind === "replace") found[at] = { ...before, entry: edit.entry };
    else found.push(edit);
  }
  return found;
}

/** Path of the entry that an edit makes. */
function resultOf(edit: Edit): Path | undefined {
  if (edit.kind === "entry") return edit.list.entry(edit.entry.name ?? "");
  return edit.kind === "replace" ? edit.at.parent?.entry(edit.entry.name ?? "") : undefined;
}

/** Returns a tree in which replaced entries have the names under which documents declare them. */
export function withFormerNames(after: TreeNode, edits: readonly Edit[]): TreeNode {
  const replacements = edits.filter((edit) => edit.kind === "replace");
  if (replacements.length === 0) return after;
  const copy = cloneTree(after);
  for (const edit of replacements) {
    const made = find(copy, resultOf(edit) ?? edit.at);
    if (made !== undefined) made.name = edit.at.name;
  }
  return copy;
}

/** Returns the entries that a replacement adds to or removes from the lists of an entry. */
export function changesOfReplacement({ at, entry }: Replacement, declared: DesiredNode): readonly Change[] {
  const known = find(declared, at) ?? refuse(`no document declares ${at}`);
  return entry.children.flatMap((list): readonly Change[] => {
    const path = at.child(list.tag);
    const before = known.children.find(({ tag }) => tag === list.tag)?.children ?? [];
    const has = (entries: readonly TreeNode[], { name }: TreeNode) => name === undefined || entries.some((each) => each.name === name);
    const added = list.children.filter((each) => !has(before, each));
    const removed = before.filter((each) => !has(list.children, each));
    return [
      ...added.map((node): Change => ({ kind: "extra", path: path.entry(node.name ?? ""), before: node, reason: "closed" })),
      ...removed.map((node): Change => ({ kind: "missing", path: path.entry(node.name ?? ""), after: node })),
    ];
  });
}
