import type { Where } from "../core/errors.js";
import type { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { Policy } from "../insight/policy.js";

/** Of a kind whose trees hold rules that let through and stop: what insight is told of them (docs/insight.md). */
export interface PolicyRole {
  /** True where a change at a path may change what is let through. */
  concerns(path: Path): boolean;
  /** All that must be read for the policies of a target to be whole; by what is desired of it. */
  subtrees(desired: TreeNode): readonly Path[];
  /** Loads what makes policies of trees. */
  load(): Promise<ReadPolicies>;
}

/** The policies of each version of one tree; those of equal scope are versions of one. */
type ReadPolicies = (versions: readonly TreeNode[], options: PolicyOptions) => readonly (readonly Policy[])[];

export interface PolicyOptions {
  /** File and line that declare the node at a path, where they are known. */
  readonly locate?: ((path: Path) => Where | undefined) | undefined;
  /** Serial number of the target, where it is known. */
  readonly serial?: string | undefined;
}
