import { type Operation, touchedPath } from "../core/operation.js";
import { equalNodes } from "../core/tree/equal.js";
import { childAt, find, pathOf, shapeAt } from "../core/tree/lookup.js";
import type { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import type { DesiredNode } from "../desired/model.js";
import { counterpart } from "./counterpart.js";
import { isInherited } from "./diff/inherited.js";

/** Candidate and running configuration. They differ by uncommitted changes. */
export interface Views {
  readonly candidate: TreeNode;
  readonly running: TreeNode;
  readonly shape: Shape;
}

/** Returns the first declared node at or below `place` that has uncommitted changes, or undefined. */
export function uncommittedDeclared(desired: DesiredNode, place: Path, views: Views): Path | undefined {
  let node: DesiredNode = desired;
  let path = place.steps()[0] as Path;
  for (const step of place.steps().slice(1)) {
    // The content of an entry or list that is declared completely is declared, too.
    if (node.declared && node.prunes) return isCommitted(path, views) ? undefined : path;
    const next = childAt(node, step) as DesiredNode | undefined;
    if (next === undefined) return undefined;
    node = next;
    path = step;
  }
  return firstUncommitted(node, path, views);
}

function firstUncommitted(node: DesiredNode, path: Path, views: Views): Path | undefined {
  if (node.declared && (node.prunes || node.children.length === 0)) return isCommitted(path, views) ? undefined : path;
  for (const child of node.children) {
    const found = firstUncommitted(child, pathOf(path, child), views);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the first node below `place` that an operation changes and that has uncommitted changes. */
export function uncommittedWritten(operation: Operation, place: Path, views: Views): Path | undefined {
  const { action } = operation;
  if (action === "move") return undefined;
  const path = touchedPath(operation);
  if (!place.contains(path) && !path.contains(place)) return undefined;
  if (action !== "set") return isCommitted(path, views) ? undefined : path;
  return firstOverwritten(operation.element, path, find(views.candidate, path), find(views.running, path), shapeAt(path, views.shape));
}

/** A `set` merges: nodes that it does not write are kept. */
function firstOverwritten(
  element: TreeNode,
  path: Path,
  candidate: TreeNode | undefined,
  running: TreeNode | undefined,
  shape: Shape,
): Path | undefined {
  const isNamed = element.name !== undefined && (candidate === undefined) !== (running === undefined);
  if (element.children.length === 0 || isNamed) return isSame(candidate, running, shape) ? undefined : path;
  for (const child of element.children) {
    const [before, after] = [candidate, running].map((node) => (node === undefined ? undefined : counterpart(node, child)));
    const found = firstOverwritten(child, pathOf(path, child), before, after, shape.child(child.tag));
    if (found !== undefined) return found;
  }
  return undefined;
}

export function isCommitted(path: Path, { candidate, running, shape }: Views): boolean {
  return isSame(find(candidate, path), find(running, path), shapeAt(path, shape));
}

/** Nodes from a template or manager are only in the candidate. */
function isSame(candidate: TreeNode | undefined, running: TreeNode | undefined, shape: Shape): boolean {
  if (candidate === undefined || running === undefined) return candidate === running || (candidate !== undefined && isInherited(candidate));
  return equalNodes(candidate, running, shape);
}
