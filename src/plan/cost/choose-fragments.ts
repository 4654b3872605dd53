import type { Fragment } from "../fragment.js";
import { differenceTree } from "./difference.js";
import { emitFragments } from "./emit.js";
import type { CostInput } from "./input.js";
import { Scale } from "./weigh.js";

export type { CostInput } from "./input.js";

/**
 * Chooses the cheapest safe writes for a difference (docs/contributing/plan.md#cost): renames, then sets, edits and deletes in any order that references
 * allow. A `set` is sent to the nearest live node; its element contains missing containers. Order changes that no edit settles are left to
 * `plan/order.ts`. Linear in the difference, and exact: no other choice of legal writes weighs less.
 *
 * A `set` stays in one scope (vsys, device group, template), since every operation names its own. Unchanged stored secrets are never sent
 * again, so a node with one is not replaced completely.
 *
 * @throws PlumblineError `rename-impossible` if a rename must be done manually
 */
export function chooseFragments(input: CostInput): Fragment[] {
  if (input.diff.changes.length === 0) return [];
  const root = differenceTree(input);
  return emitFragments(new Scale(input).weigh(root), input.diff.changes);
}
