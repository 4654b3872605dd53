import { pathOf, shapeAt } from "../core/tree/lookup.js";
import { TreeNode } from "../core/tree/node.js";
import { markTag } from "../core/tree/owner-mark.js";
import type { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import type { Change } from "./diff/change.js";
import type { Fragment } from "./fragment.js";

/**
 * Splits sets for independent objects (`Capabilities.independentObjects`): each marked entry gets its own `set`, also inside another entry.
 */
export function oneSetAnObject(fragments: readonly Fragment[], changes: readonly Change[], shape: Shape): Fragment[] {
  return fragments.flatMap((fragment) => {
    const { operation } = fragment;
    if (operation.action !== "set") return [fragment];
    const path = pathOf(operation.at, operation.element);
    const parts = partsOf(operation.element, path, shapeAt(path, shape));
    const kindOf = (place: Path) => (fragment.changes.some((index) => isMissing(place, changes[index])) ? "create" : fragment.kind);
    if (parts.length === 1 && parts[0]?.element === operation.element) return [{ ...fragment, kind: kindOf(path) }];
    return parts.map(({ at, element }): Fragment => {
      const place = pathOf(at, element);
      const settled = fragment.changes.filter((index) => isSettledBy(place, changes[index]?.path));
      return { ...fragment, kind: kindOf(place), operation: { action: "set", at, element }, unit: place, changes: settled };
    });
  });
}

interface Part {
  readonly at: Path;
  readonly element: TreeNode;
}

/** Returns the node without the marked entries below it, if anything remains, followed by each of these entries. */
function partsOf(node: TreeNode, path: Path, shape: Shape): Part[] {
  const inner: Part[] = [];
  const rest: TreeNode[] = [];
  for (const child of node.children) {
    const childShape = shape.child(child.tag);
    const parts = partsOf(child, pathOf(path, child), childShape);
    if (markTag(childShape) !== undefined) {
      inner.push(...parts);
      continue;
    }
    const [own] = parts;
    if (own?.element === child) rest.push(child);
    else {
      const isOwn = own !== undefined && own.at === path;
      if (isOwn) rest.push(own.element);
      inner.push(...parts.slice(isOwn ? 1 : 0));
    }
  }
  const at = path.parent ?? path;
  if (inner.length === 0) return [{ at, element: node }];
  if (rest.length === 0) return inner;
  return [{ at, element: new TreeNode(node.tag, node.name, node.text, rest, node.attributes) }, ...inner];
}

/** Returns whether a change creates the node at `place`, or a node around it. */
function isMissing(place: Path, change: Change | undefined): boolean {
  return place.name !== undefined && change?.kind === "missing" && change.path.contains(place);
}

function isSettledBy(place: Path, change: Path | undefined): boolean {
  return change !== undefined && (place.contains(change) || change.contains(place));
}

/** Returns the innermost marked entry at or above `path`. */
export function markedEntry(path: Path, root: Shape): Path | undefined {
  let found: Path | undefined;
  let shape = root;
  for (const step of path.steps().slice(1)) {
    shape = shape.child(step.tag);
    if (step.name !== undefined && markTag(shape) !== undefined) found = step;
  }
  return found;
}
