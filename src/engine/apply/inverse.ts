import type { Operation } from "../../core/operation.js";
import { find, pathOf } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";

/**
 * Returns the operations that revert `operation`, in order.
 * @param before The tree before the operation.
 */
export function inverseOf(operation: Operation, before: TreeNode): Operation[] {
  const { at } = operation;
  switch (operation.action) {
    case "set":
      return inverseOfSet(at, operation.element, before);
    case "edit": {
      const node = find(before, at);
      if (node === undefined) return [{ action: "delete", at }];
      const now = at.text === undefined ? at : parentOf(at).member(operation.element.text, at.tag);
      return [{ action: "edit", at: now, element: node }];
    }
    case "delete": {
      const node = find(before, at);
      if (node === undefined) return [];
      const back: Operation = { action: "set", at: parentOf(at), element: node };
      return node.name === undefined ? [back] : [back, placeBack(at, before)];
    }
    case "move":
      return [placeBack(at, before)];
    case "rename":
      return [{ action: "rename", at: parentOf(at).entry(operation.newName, at.tag), newName: at.name ?? "" }];
  }
}

function inverseOfSet(at: Path, element: TreeNode, before: TreeNode): Operation[] {
  const path = pathOf(at, element);
  const missing = [...path.steps()].find((step) => find(before, step) === undefined);
  if (missing !== undefined) return [{ action: "delete", at: missing }];
  if (element.children.length > 0) return [...element.children].reverse().flatMap((child) => inverseOfSet(path, child, before));
  const node = find(before, path);
  return node === undefined || path.text !== undefined ? [] : [{ action: "edit", at: path, element: node }];
}

/** Returns the move that puts an entry behind its predecessor in `before`. */
function placeBack(at: Path, before: TreeNode): Operation {
  const siblings = find(before, parentOf(at))?.children ?? [];
  const previous = siblings[siblings.findIndex((child) => child.name === at.name && child.tag === at.tag) - 1];
  if (previous?.name === undefined) return { action: "move", at, where: "top" };
  return { action: "move", at, where: "after", anchor: previous.name };
}

function parentOf(path: Path): Path {
  return path.parent ?? path;
}
