import type { SecretLeaf, TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import type { Shape } from "../../core/tree/shape.js";
import type { DesiredNode } from "../../desired/model.js";
import type { SecretState } from "../model.js";

/** What `diff(input: DiffInput): Diff` in `src/plan/diff.ts` compares. */
export interface DiffInput {
  /** Root element, after `applyIgnores(desired, live, ignores)` of `src/plan/diff/ignores.ts`. Exclusive lists are prunes nodes. */
  readonly desired: DesiredNode;
  /** Root element, same tag. */
  readonly live: TreeNode;
  /** Shape of the root element. */
  readonly shape: Shape;
  /** `LedgerRecord.paths`; undefined where deletions are unknown. */
  readonly ledger?: readonly string[] | undefined;
  /** Lists that hold nothing but what is declared: `owns:` says so, not only a ledger. */
  readonly exclusive?: readonly Path[] | undefined;
  /** Those of them that were there without us: never deleted by the ledger. */
  readonly onlyFound?: ReadonlySet<string> | undefined;
  /** Those of them that no accepted commit declares, each with the reason. */
  readonly unconfirmed?: ReadonlyMap<string, string> | undefined;
  /** The target's name, for what a finding says to do. */
  readonly target?: string | undefined;
  /** Write secrets of which nobody knows whether they still equal ours. */
  readonly rotateSecrets?: boolean | undefined;
  /** Whose mark our entries carry, where a platform's entries carry marks. */
  readonly owner?: string | undefined;
  /** Targets that this one refers to are written to first: what is missing may be there by then. */
  readonly awaitsDependencies?: boolean | undefined;
  /** The platform renames in place, so that rules can give each other their names. */
  readonly rename?: boolean | undefined;
  /** Only this subtree. */
  readonly only?: Path | undefined;
  /** Returns whether the platform itself provides the entry. */
  isSystem?(entry: Path): boolean;
  secretState(path: Path, desired: DesiredNode, live: SecretLeaf): SecretState;
  /** True for an entry of an ordered list that leaves nothing for those below it (any/any). The default asks the shape's match lists. */
  shadows?(entry: TreeNode, shape: Shape): boolean;
}
