import type { Operation } from "../core/operation.js";
import { pathOf } from "../core/tree/lookup.js";
import { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import { counterpart } from "./counterpart.js";
import { isReplaced } from "./diff/members.js";

type Edit = Operation & { readonly action: "edit" };

/**
 * Converts an `edit` to equivalent writes: a `set` of new and different nodes, an `edit` of each member list that must be written
 * completely, and deletes of extra nodes. `shape` is the shape of the edited node. Moves set the order of entries: returns undefined if the
 * platform has no moves and the edit contains an ordered list of entries.
 */
export function explodeEdit({ at, element }: Edit, live: TreeNode, shape: Shape, canMove: boolean): Operation[] | undefined {
  if (at.parent === undefined || (!canMove && holdsOrderedEntries(element, shape))) return undefined;
  const edits: Operation[] = [];
  const deletes: Operation[] = [];
  const changed = differing(element, live, at, shape, edits);
  collectSurplus(live, element, at, shape, deletes);
  const set: Operation[] = changed === undefined ? [] : [{ action: "set", at: at.parent, element: changed }];
  return [...set, ...edits, ...deletes];
}

function holdsOrderedEntries(node: TreeNode, shape: Shape): boolean {
  if (shape.kind === "list" && shape.ordered) return true;
  return node.children.some((child) => child.children.length > 0 && holdsOrderedEntries(child, shape.child(child.tag)));
}

/**
 * Returns whether one edit must write the complete list of members: an ordered list, or one whose old and new members cannot be together.
 */
function isWrittenCompletely(after: TreeNode, before: TreeNode, shape: Shape): boolean {
  return shape.kind === "members" && (shape.ordered || isReplaced({ before, after }, shape));
}

/** Returns the new and changed part of `wanted`. */
function differing(wanted: TreeNode, live: TreeNode, path: Path, shape: Shape, edits: Operation[]): TreeNode | undefined {
  if (isWrittenCompletely(wanted, live, shape)) {
    if (textsOf(wanted) !== textsOf(live)) edits.push({ action: "edit", at: path, element: wanted });
    return undefined;
  }
  if (wanted.children.length === 0) return live.children.length === 0 && wanted.text !== live.text ? wanted : undefined;
  const children: TreeNode[] = [];
  for (const child of wanted.children) {
    const there = counterpart(live, child);
    const part = there === undefined ? child : differing(child, there, pathOf(path, child), shape.child(child.tag), edits);
    if (part !== undefined) children.push(part);
  }
  return children.length === 0 ? undefined : new TreeNode(wanted.tag, wanted.name, "", children);
}

/** Collects deletes of the highest live nodes without a desired counterpart. */
function collectSurplus(live: TreeNode, wanted: TreeNode, path: Path, shape: Shape, deletes: Operation[]): void {
  if (isWrittenCompletely(wanted, live, shape)) return;
  for (const child of live.children) {
    const other = counterpart(wanted, child);
    const at = pathOf(path, child);
    if (other === undefined) deletes.push({ action: "delete", at });
    else collectSurplus(child, other, at, shape.child(child.tag), deletes);
  }
}

function textsOf(node: TreeNode): string {
  return node.children.map((child) => child.text).join("\n");
}
