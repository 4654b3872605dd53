import type { TreeNode } from "../../core/tree/node.js";
import type { Applied } from "../../outcome/outcome.js";
import type { Planned } from "../pass/planner.js";
import type { Baseline } from "../watch/baseline.js";
import type { OpenWatch } from "../watch/open-watch.js";
import type { CommitResult } from "../write-target.js";

// The states of one apply, in order. Each step takes the state before it, so the compiler refuses a write without an announcement and a
// commit without a write. A platform that limits uncommitted changes goes through confirmed to committed once for each commit.

/** The run has the lock and the current ledger. Nothing that an earlier run left uncommitted can change the target any longer. */
export interface Locked {
  /** The target or the ledger may have changed since the first plan was made. */
  readonly isOutdated: boolean;
}

/** The plan still fits the target, as checked under the lock. */
export interface Confirmed {
  readonly planned: Planned;
  /** Results of the checks before the first write. Undefined if the commit is not watched. */
  readonly baseline: Baseline | undefined;
}

/** The ledger lists every object that the plan creates or deletes. */
export interface Announced {
  readonly confirmed: Confirmed;
  /** State of the ledger to restore if the commit is rolled back. */
  readonly ledgerBefore: OpenWatch["before"];
  /** The device saves configurations, so that any run can roll the commit back. */
  readonly hasSnapshot: boolean;
}

/** All operations up to the next commit were executed. */
export interface Written {
  readonly announced: Announced;
  /** The last plan that was sent. Differs from the confirmed plan after a lost reply. */
  readonly sent: Planned;
}

/** The written changes are in effect. */
export interface Committed {
  readonly written: Written;
  /** Undefined on a platform without commits. */
  readonly result: CommitResult | undefined;
  /** For a watched commit: the subtrees that it changes, in their former state. Undefined if only the snapshot on the target is complete. */
  readonly runningBefore: TreeNode | undefined;
}

/** The target was read back as desired, and the ledger records it. */
export interface Verified {
  readonly applied: Applied;
  /** The plan that was carried out. Differs from the first plan if the target changed in the meantime. */
  readonly planned: Planned;
  /** The target as read afterwards, planned again. */
  readonly remaining: Planned;
  /** As in `Committed`. A push that fails its checks rolls the commit back. */
  readonly runningBefore: TreeNode | undefined;
}
