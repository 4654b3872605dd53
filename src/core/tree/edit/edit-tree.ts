import { childAt, childEntry, find } from "../lookup.js";
import { TreeNode } from "../node.js";
import type { Path } from "../path.js";
import { cloneTree } from "./clone.js";
import { mergeChildren } from "./merge.js";
import { type Placement, placementIndex } from "./placement.js";
import { insertChild, moveChildAt, removeChildAt, replaceChildAt, setName } from "./primitives.js";
import { editMismatch, nodeExists, nodeNotFound } from "./refusal.js";
import type { UndoLog } from "./undo-log.js";

export { cloneTree } from "./clone.js";
export type { Placement } from "./placement.js";
export { setAttributes } from "./primitives.js";
export { UndoLog } from "./undo-log.js";

/**
 * `set`: merges `elements` (one or more siblings) under the node at `at` and creates missing ancestors. Returns the node. Throws
 * `node-not-found` if `at` does not begin at the root element.
 */
export function setAt(root: TreeNode, at: Path, elements: readonly TreeNode[], log: UndoLog): TreeNode {
  const parent = reach(root, at, log);
  mergeChildren(parent, elements, log);
  return parent;
}

/**
 * `edit`: replaces the node at `at` with `element` at the same position, or appends it if the node does not exist. Returns the new node.
 * Throws `edit-mismatch` unless tag and name equal those of the last step; a member may change its text.
 */
export function editAt(root: TreeNode, at: Path, element: TreeNode, log: UndoLog): TreeNode {
  if (element.tag !== at.tag || (at.name !== undefined && element.name !== at.name)) {
    throw editMismatch(`<${element.tag}> cannot replace the node at ${at}.`, at);
  }
  const copy = cloneTree(element);
  const parent = reach(root, parentOf(at), log);
  const known = childAt(parent, at);
  if (known === undefined) insertChild(parent, copy, parent.children.length, log);
  else replaceChildAt(parent, parent.children.indexOf(known), copy, log);
  return copy;
}

/** `delete`: removes the node at `at` and returns it. Throws `node-not-found`. */
export function deleteAt(root: TreeNode, at: Path, log: UndoLog): TreeNode {
  const { parent, node, index } = locate(root, at);
  removeChildAt(parent, index, log);
  return node;
}

/** `move`: moves the entry at `at` to the position of `placement`. Throws `node-not-found` and `node-not-movable`. */
export function moveAt(root: TreeNode, at: Path, placement: Placement, log: UndoLog): void {
  const { parent, index } = locate(root, at);
  moveChildAt(parent, index, placementIndex(parent, index, placement, at), log);
}

/** `rename`: gives the entry at `at` another name. Throws `node-not-found` and `node-exists`. */
export function renameAt(root: TreeNode, at: Path, newName: string, log: UndoLog): void {
  const { parent, node } = locate(root, at);
  if (node.name === newName) return;
  refuseTaken(parent, newName, at);
  setName(parent, node, newName, log);
}

/**
 * `clone`: appends a copy of the entry at `from` under a new name to the same list. Throws like `renameAt`.
 * @internal No operation of Plumbline clones; tests compare it with the edits of a device.
 */
export function cloneAt(root: TreeNode, from: Path, newName: string, log: UndoLog): TreeNode {
  const { parent, node } = locate(root, from);
  refuseTaken(parent, newName, from);
  const copy = cloneTree(node, newName);
  insertChild(parent, copy, parent.children.length, log);
  return copy;
}

function refuseTaken(parent: TreeNode, name: string, at: Path): void {
  if (childEntry(parent, name, at.tag) !== undefined) throw nodeExists(`"${name}" already exists.`, at);
}

function locate(root: TreeNode, at: Path): { readonly parent: TreeNode; readonly node: TreeNode; readonly index: number } {
  const parent = at.parent === undefined ? undefined : find(root, at.parent);
  const node = parent === undefined ? undefined : childAt(parent, at);
  if (parent === undefined || node === undefined) throw nodeNotFound(`There is no ${at}.`, at);
  return { parent, node, index: parent.children.indexOf(node) };
}

function parentOf(at: Path): Path {
  if (at.parent === undefined || at.depth < 2) throw nodeNotFound("The root element cannot be replaced.", at);
  return at.parent;
}

/** Returns the node at `at`. Creates missing nodes. */
function reach(root: TreeNode, at: Path, log: UndoLog): TreeNode {
  const known = find(root, at);
  if (known !== undefined) return known;
  if (at.depth < 2 || at.parent === undefined) throw nodeNotFound(`The tree begins at /${root.tag}.`, at);
  const parent = reach(root, at.parent, log);
  const made = new TreeNode(at.tag, at.name, at.text ?? "");
  insertChild(parent, made, parent.children.length, log);
  return made;
}
