import { differenceTree } from "./cost/difference.js";
import { emitFragments } from "./cost/emit.js";
import type { CostInput } from "./cost/input.js";
import { Scale } from "./cost/weigh.js";
import type { Fragment } from "./fragment.js";

export type { CostInput } from "./cost/input.js";

/**
 * The cheapest of the safe ways to write a difference (docs/plan.md#cost): renames, then sets, edits and deletes that may
 * be carried out in any order that references allow. A `set` is given to the nearest live node, with missing frames inside
 * its element; changes of order that no edit settles are left to `plan/order.ts`. Linear in the difference, and exact:
 * no other choice of legal writes weighs less.
 *
 * A `set` stays in one scope (vsys, device group, template), since every operation names its own. Stored secrets are
 * never sent again unless they changed: what holds one is not replaced whole.
 *
 * Throws `rename-impossible` where a rename has to be made by hand.
 */
export function chooseFragments(input: CostInput): Fragment[] {
  if (input.diff.changes.length === 0) return [];
  const root = differenceTree(input);
  return emitFragments(new Scale(input).weigh(root), input.diff.changes);
}
