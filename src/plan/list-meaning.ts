import { find, pathOf } from "../core/tree/lookup.js";
import type { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import { afterOperations } from "./after.js";
import type { Change } from "./diff/change.js";
import type { MeaningChange, PlanInput, PlannedOperation } from "./model.js";

/** Returns meaning changes of complete ordered lists: an unchanged rule may no longer match. Skips entries that `found` already reports. */
export function listMeanings(
  changes: readonly Change[],
  operations: readonly PlannedOperation[],
  found: readonly MeaningChange[],
  { kindGuards, candidate, shape }: PlanInput,
): MeaningChange[] {
  if (kindGuards.meaningOfList === undefined || operations.length === 0) return [];
  const lists = new Map(changes.flatMap((change) => orderedLists(change, shape)).map((list) => [list.toString(), list]));
  if (lists.size === 0) return [];
  const after = afterOperations(candidate, operations);
  const known = new Set(found.map(({ path }) => path.toString()));
  return [...lists.values()]
    .flatMap((list) => kindGuards.meaningOfList?.(list, find(candidate, list), find(after, list)) ?? [])
    .filter(({ path }) => !known.has(path.toString()));
}

/** Returns the ordered lists around the change, or the ones in the nodes that it creates or deletes. */
function orderedLists(change: Change, root: Shape): Path[] {
  let shape = root;
  for (const step of change.path.steps().slice(1)) {
    shape = shape.child(step.tag);
    if (isOrderedList(shape)) return [step];
  }
  const nodes = [
    ...("before" in change && change.kind !== "order" ? [change.before] : []),
    ...("after" in change && change.kind !== "order" ? [change.after] : []),
  ];
  return nodes.flatMap((node) => listsBelow(node, change.path, shape));
}

function listsBelow(node: TreeNode, path: Path, shape: Shape): Path[] {
  return node.children.flatMap((child) => {
    const below = shape.child(child.tag);
    const at = pathOf(path, child);
    return isOrderedList(below) ? [at] : listsBelow(child, at, below);
  });
}

function isOrderedList({ kind, ordered }: Shape): boolean {
  return kind === "list" && ordered === true;
}
