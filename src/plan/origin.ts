import { childAt } from "../core/tree/lookup.js";
import type { Path } from "../core/tree/path.js";
import type { DesiredNode } from "../desired/model.js";

/**
 * Returns the position in the source map of the innermost node at or above `path` that a file declares, or -1. An entry that no document
 * declares, for example a manual rule, has no position: the line of its list is not the cause.
 */
export function originAt(path: Path | undefined, desired: DesiredNode): number {
  let node: DesiredNode | undefined = desired;
  let origin = desired.origin;
  for (const step of path?.steps().slice(1) ?? []) {
    node = childAt(node, step) as DesiredNode | undefined;
    if (node === undefined) return step.name === undefined ? origin : -1;
    if (node.origin >= 0) origin = node.origin;
  }
  return origin;
}
