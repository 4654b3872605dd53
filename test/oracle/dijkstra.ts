import { applyOperation } from "../../src/core/apply-operation.js";
import type { Operation } from "../../src/core/operation.js";
import { canonicalText, sizeOf } from "../../src/core/tree/canonical.js";
import { cloneTree, UndoLog } from "../../src/core/tree/edit/edit-tree.js";
import type { TreeNode } from "../../src/core/tree/node.js";
import type { Shape } from "../../src/core/tree/shape.js";

/** Weight of an operation: `perOperation` plus the number of nodes of its payload. */
export function weightOf(operation: Operation, perOperation: number): number {
  return perOperation + (operation.action === "set" || operation.action === "edit" ? sizeOf(operation.element) : 1);
}

interface Reached {
  readonly tree: TreeNode;
  readonly weight: number;
}

/** The minimum weight of a sequence of `writes` that turns `live` into `goal`, by exhaustive search; undefined if there is none. */
export function cheapest(
  live: TreeNode,
  goal: TreeNode,
  shape: Shape,
  perOperation: number,
  writes: (state: TreeNode) => readonly Operation[],
): number | undefined {
  const wanted = canonicalText(goal, shape);
  const frontier: Reached[] = [{ tree: live, weight: 0 }];
  const best = new Map<string, number>([[canonicalText(live, shape), 0]]);
  const settled = new Set<string>();
  while (frontier.length > 0) {
    const { tree, weight } = frontier.splice(lightest(frontier), 1)[0] as Reached;
    const state = canonicalText(tree, shape);
    if (state === wanted) return weight;
    if (settled.has(state)) continue;
    settled.add(state);
    for (const operation of writes(tree)) {
      const next = cloneTree(tree);
      applyOperation(next, operation, new UndoLog());
      const key = canonicalText(next, shape);
      const total = weight + weightOf(operation, perOperation);
      if (total >= (best.get(key) ?? Number.POSITIVE_INFINITY)) continue;
      best.set(key, total);
      frontier.push({ tree: next, weight: total });
    }
  }
  return undefined;
}

function lightest(frontier: readonly Reached[]): number {
  let at = 0;
  for (let i = 1; i < frontier.length; i += 1) if ((frontier[i]?.weight ?? 0) < (frontier[at]?.weight ?? 0)) at = i;
  return at;
}
