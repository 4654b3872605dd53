import { childByTag, childEntry, childMember } from "../lookup.js";
import { type Attributes, SecretLeaf, type TreeNode } from "../node.js";
import { secretOf } from "../secret-of.js";
import { TEXT_TAG } from "../xml/builder.js";
import { cloneTree } from "./clone.js";
import { insertChild, replaceChildAt, setAttributes, setText } from "./primitives.js";
import type { UndoLog } from "./undo-log.js";

/**
 * Merges `elements` into the children of `parent`, like the firewall's `set`. Leaves are added or get the new text, entries are merged by
 * name or appended, and members are appended if missing. Removes no node.
 */
export function mergeChildren(parent: TreeNode, elements: readonly TreeNode[], log: UndoLog): void {
  if (elements.length > 0) setText(undefined, parent, "", log);
  for (const element of elements) mergeChild(parent, element, log);
}

function mergeChild(parent: TreeNode, element: TreeNode, log: UndoLog): void {
  const known = counterpart(parent, element);
  if (known === undefined) insertChild(parent, cloneTree(element), parent.children.length, log);
  else mergeInto(parent, known, element, log);
}

function counterpart(parent: TreeNode, element: TreeNode): TreeNode | undefined {
  if (element.name !== undefined) return childEntry(parent, element.name, element.tag);
  if (element.tag === "member" && element.children.length === 0) return childMember(parent, element.text);
  return childByTag(parent, element.tag);
}

function mergeInto(parent: TreeNode, known: TreeNode, element: TreeNode, log: UndoLog): void {
  if (isCompleteValue(known) || isCompleteValue(element)) {
    replaceChildAt(parent, parent.children.indexOf(known), cloneTree(element), log);
    return;
  }
  if (element.attributes !== undefined) setAttributes(known, joined(known.attributes, element.attributes), log);
  if (element.children.length > 0) {
    setText(parent, known, "", log);
    mergeChildren(known, element.children, log);
  } else if (known.children.length === 0) setText(parent, known, element.text, log);
}

/** Secrets and mixed content are replaced as one value. */
function isCompleteValue(node: TreeNode): boolean {
  return secretOf(node) !== undefined || node instanceof SecretLeaf || node.children.some((child) => child.tag === TEXT_TAG);
}

function joined(known: Attributes | undefined, added: Attributes): Attributes {
  return new Map([...(known ?? []), ...added]);
}
