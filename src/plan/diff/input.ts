import type { SecretLeaf, TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import type { Shape } from "../../core/tree/shape.js";
import type { DesiredNode } from "../../desired/model.js";
import type { SecretState } from "../model.js";

/** Input of `diff` in `src/plan/diff/diff.ts`. */
export interface DiffInput {
  /** Root element, after `applyIgnores(desired, live, ignores)` of `src/plan/diff/ignores.ts`. Exclusive lists are `prunes` nodes. */
  readonly desired: DesiredNode;
  /** Root element, same tag. */
  readonly live: TreeNode;
  /** Shape of the root element. */
  readonly shape: Shape;
  /** `LedgerRecord.paths`. Undefined if deletions are unknown. */
  readonly ledger?: readonly string[] | undefined;
  /** Lists that `owns:` declares exclusive: undeclared entries are deleted even without a ledger. */
  readonly exclusive?: readonly Path[] | undefined;
  /** Rows of `ledger` that must not cause a delete (`foundOnly`). */
  readonly onlyFound?: ReadonlySet<string> | undefined;
  /** Rows of `ledger` that no accepted commit declares, each with the reason. */
  readonly unconfirmed?: ReadonlyMap<string, string> | undefined;
  /** Target name, for commands in findings. */
  readonly target?: string | undefined;
  /** Write secrets for which it is unknown whether the stored value equals the desired one. */
  readonly rotateSecrets?: boolean | undefined;
  /** Owner whose mark managed entries carry, on platforms with marks. */
  readonly owner?: string | undefined;
  /** This run first writes to targets that this target depends on: missing objects may exist by then. */
  readonly awaitsDependencies?: boolean | undefined;
  /** The platform renames in place, so that rules can swap names. */
  readonly rename?: boolean | undefined;
  /** Compare only this subtree. */
  readonly only?: Path | undefined;
  /** Returns whether the platform itself provides the entry. */
  isSystem?(entry: Path): boolean;
  secretState(path: Path, desired: DesiredNode, live: SecretLeaf): SecretState;
  /**
   * Returns whether an entry of an ordered list matches everything, so that later entries never match. The default checks the shape's match
   * lists.
   */
  shadows?(entry: TreeNode, shape: Shape): boolean;
}
