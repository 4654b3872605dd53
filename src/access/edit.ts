import { applyOperation } from "../core/apply-operation.js";
import type { Operation } from "../core/operation.js";
import { cloneTree, UndoLog } from "../core/tree/edit/edit-tree.js";
import { find } from "../core/tree/lookup.js";
import { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";

/** A change of the desired state. */
export type Edit =
  | { readonly kind: "member"; readonly list: Path; readonly member: string }
  /** `after`: name of the previous entry of an ordered list, empty for the top. Undefined: the list has no order. */
  | { readonly kind: "entry"; readonly list: Path; readonly entry: TreeNode; readonly after?: string | undefined }
  | { readonly kind: "text"; readonly at: Path; readonly text: string }
  /** Removes an entry of a list. */
  | { readonly kind: "remove"; readonly at: Path }
  /** Puts an entry in the place of another one. For lists whose entries have their content as a key. */
  | { readonly kind: "replace"; readonly at: Path; readonly entry: TreeNode }
  /** Removes a member. The list must keep another one. */
  | { readonly kind: "remove-member"; readonly list: Path; readonly member: string };

/** Returns a copy of a tree with the edits. */
export function withEdits(tree: TreeNode, edits: readonly Edit[]): TreeNode {
  const copy = cloneTree(tree);
  for (const edit of edits) for (const operation of operationsOf(edit, copy)) applyOperation(copy, operation, new UndoLog());
  return copy;
}

function operationsOf(edit: Edit, tree: TreeNode): Operation[] {
  if (edit.kind === "member") return [{ action: "set", at: edit.list, element: new TreeNode("member", undefined, edit.member) }];
  if (edit.kind === "text") return [{ action: "edit", at: edit.at, element: new TreeNode(edit.at.tag, undefined, edit.text) }];
  if (edit.kind === "remove") return find(tree, edit.at) === undefined ? [] : [{ action: "delete", at: edit.at }];
  if (edit.kind === "replace") return replacement(edit, tree);
  if (edit.kind === "remove-member") return [{ action: "edit", at: edit.list, element: withoutMember(tree, edit) }];
  const { list, entry, after } = edit;
  const at = list.entry(entry.name ?? "");
  const set: Operation = { action: "set", at: list, element: entry };
  if (after === undefined || find(tree, list) === undefined) return [set];
  return [set, after === "" ? { action: "move", at, where: "top" } : { action: "move", at, where: "after", anchor: after }];
}

function replacement({ at, entry }: Extract<Edit, { kind: "replace" }>, tree: TreeNode): Operation[] {
  const list = at.parent ?? at;
  const children = find(tree, list)?.children ?? [];
  return [
    {
      action: "edit",
      at: list,
      element: new TreeNode(
        list.tag,
        undefined,
        "",
        children.map((each) => (each.name === at.name ? entry : each)),
      ),
    },
  ];
}

function withoutMember(tree: TreeNode, { list, member }: Extract<Edit, { kind: "remove-member" }>): TreeNode {
  const kept = (find(tree, list)?.children ?? []).filter(({ text }) => text !== member);
  return new TreeNode(list.tag, undefined, "", kept);
}

/**
 * Returns the edits for a tree that contains only the declared part of `complete`. A new entry follows the nearest declared entry above it.
 */
export function forDeclared(edits: readonly Edit[], complete: TreeNode, declared: TreeNode): readonly Edit[] {
  return edits.map((edit) => {
    if (edit.kind !== "entry" || edit.after === undefined || edit.after === "") return edit;
    const names = (find(complete, edit.list)?.children ?? []).map(({ name = "" }) => name);
    const known = new Set((find(declared, edit.list)?.children ?? []).map(({ name = "" }) => name));
    const above = names.slice(0, names.indexOf(edit.after) + 1).findLast((name) => known.has(name));
    return { ...edit, after: above ?? "" };
  });
}
