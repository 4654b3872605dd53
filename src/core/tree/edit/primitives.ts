import { noteAppended, noteLeaving, notePlaced, noteReordered } from "../child-index.js";
import { type Attributes, TreeNode } from "../node.js";
import type { UndoLog } from "./undo-log.js";

/**
 * The only code that changes a tree. Each primitive updates the name index and adds its reverse to `log` by position. This is exact,
 * because edits are undone newest first.
 */

/** The array that all nodes without children share. */
const SHARED = new TreeNode("").children;

function editable(parent: TreeNode): TreeNode[] {
  if (parent.children === SHARED) parent.children = [];
  return parent.children as TreeNode[];
}

export function insertChild(parent: TreeNode, node: TreeNode, index: number, log: UndoLog): void {
  const children = editable(parent);
  if (index >= children.length) {
    children.push(node);
    noteAppended(children, node);
  } else {
    children.splice(index, 0, node);
    notePlaced(children, node);
  }
  const at = Math.min(index, children.length - 1);
  log.add(() => {
    noteLeaving(children, node);
    children.splice(at, 1);
  });
}

export function removeChildAt(parent: TreeNode, index: number, log: UndoLog): void {
  const children = editable(parent);
  const node = children[index];
  if (node === undefined) return;
  noteLeaving(children, node);
  children.splice(index, 1);
  log.add(() => {
    children.splice(index, 0, node);
    notePlaced(children, node);
  });
}

export function replaceChildAt(parent: TreeNode, index: number, node: TreeNode, log: UndoLog): void {
  const children = editable(parent);
  const before = children[index];
  if (before === undefined) return;
  exchange(children, index, before, node);
  log.add(() => exchange(children, index, node, before));
}

function exchange(children: TreeNode[], index: number, from: TreeNode, to: TreeNode): void {
  noteLeaving(children, from);
  children[index] = to;
  notePlaced(children, to);
}

/** Moves the child at `from` to its final index `to`. */
export function moveChildAt(parent: TreeNode, from: number, to: number, log: UndoLog): void {
  if (from === to) return;
  const children = editable(parent);
  shift(children, from, to);
  log.add(() => shift(children, to, from));
}

function shift(children: TreeNode[], from: number, to: number): void {
  const [node] = children.splice(from, 1);
  if (node === undefined) return;
  children.splice(to, 0, node);
  noteReordered(children, node);
}

export function setName(parent: TreeNode, node: TreeNode, name: string, log: UndoLog): void {
  const before = node.name;
  const assign = (value: string | undefined): void => {
    noteLeaving(parent.children, node);
    node.name = value;
    notePlaced(parent.children, node);
  };
  assign(name);
  log.add(() => assign(before));
}

export function setText(parent: TreeNode | undefined, node: TreeNode, text: string, log: UndoLog): void {
  const before = node.text;
  if (before === text) return;
  const assign = (value: string): void => {
    if (parent !== undefined) noteLeaving(parent.children, node);
    node.text = value;
    if (parent !== undefined) notePlaced(parent.children, node);
  };
  assign(text);
  log.add(() => assign(before));
}

/** Sets attributes other than `name`, for example the marks `admin` and `time` of a device. */
export function setAttributes(node: TreeNode, attributes: Attributes | undefined, log: UndoLog): void {
  const before = node.attributes;
  node.attributes = attributes;
  log.add(() => {
    node.attributes = before;
  });
}
