import { find, pathOf } from "../core/tree/lookup.js";
import type { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import type { DesiredNode } from "../desired/model.js";
import type { Change } from "./diff/change.js";
import type { MeaningChange, PlanInput } from "./model.js";

/**
 * Returns how the changes weaken the configuration, once per object. The object is the outermost entry that is not structural, or else the
 * changed node.
 */
export function meaningChanges(changes: readonly Change[], desired: DesiredNode, input: PlanInput): MeaningChange[] {
  const seen = new Set<string>();
  const found: MeaningChange[] = [];
  for (const change of changes) {
    if (change.kind === "order") continue;
    for (const path of objectsOf(change, input.shape)) {
      const key = path.toString();
      if (seen.has(key)) continue;
      seen.add(key);
      const former = change.kind === "renamed" && path.parent !== undefined ? path.parent.entry(change.from, path.tag) : path;
      const words = input.kindGuards.meaning(path, find(input.candidate, former), find(desired, path));
      if (words !== undefined) found.push({ path, message: words });
    }
  }
  return found;
}

/** Returns the object around the change, or all objects in it if a list or container changes. */
function objectsOf(change: Change, root: Shape): Path[] {
  let shape = root;
  for (const step of change.path.steps().slice(1)) {
    shape = shape.child(step.tag);
    if (step.name !== undefined && !shape.structural) return [step];
  }
  const node =
    change.kind === "extra" || change.kind === "differs"
      ? change.before
      : "after" in change && change.kind === "missing"
        ? change.after
        : undefined;
  const objects: Path[] = [];
  if (node !== undefined) collectObjects(node, change.path, shape, objects);
  return objects.length === 0 ? [change.path] : objects;
}

function collectObjects(node: TreeNode, path: Path, shape: Shape, objects: Path[]): void {
  for (const child of node.children) {
    const at = pathOf(path, child);
    const childShape = shape.child(child.tag);
    if (child.name !== undefined && !childShape.structural) objects.push(at);
    else if (child.children.length > 0) collectObjects(child, at, childShape, objects);
  }
}
