import type { Operation } from "../core/operation.js";
import type { Path } from "../core/tree/path.js";

/**
 * One write that `plan/cost.ts` chose, before `plan/order.ts` puts all of them in a sequence that every intermediate
 * step survives. A `set` may carry many new entries of one list; order splits it where their references ask for it.
 */
export interface Fragment {
  readonly operation: Operation;
  readonly kind: "create" | "update" | "delete" | "rename";
  /** The entry (of a list that `defines` objects) that is touched, or the list for a `set` of several, else the written node. */
  readonly unit: Path;
  /** Indexes into `Diff.changes` that this write settles. */
  readonly changes: readonly number[];
}
