import type { Operation } from "../core/operation.js";
import type { Path } from "../core/tree/path.js";

/**
 * One write that `plan/cost/choose-fragments.ts` chose. `plan/order.ts` then orders all writes so that every intermediate state is safe. A `set` may contain
 * many new entries of one list; ordering splits it if references require that.
 */
export interface Fragment {
  readonly operation: Operation;
  readonly kind: "create" | "update" | "delete" | "rename";
  /** The touched entry of a list that `defines` objects, the list for a `set` of several entries, or else the written node. */
  readonly unit: Path;
  /** Indexes into `Diff.changes` that this write settles. */
  readonly changes: readonly number[];
}
