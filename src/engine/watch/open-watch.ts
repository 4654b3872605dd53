import type { Checks } from "../../desired/checks.js";
import type { OwnershipRow } from "../../plan/ownership-record.js";
import type { RefusedState } from "./refused-state.js";

/**
 * One change of our commit, without its value: the canonical digest of a node (`absent` if deleted), the position of an entry by its
 * predecessor, or a former name.
 */
export type WrittenRow =
  | { readonly kind: "node"; readonly at: string; readonly after: string }
  | { readonly kind: "place"; readonly at: string; readonly behind: string }
  | { readonly kind: "rename"; readonly at: string; readonly from: string };

/**
 * A commit by Plumbline whose checks are not complete yet. The ledger contains it from just before the commit until the decision, so that
 * any run can decide if the first one is aborted. It contains no values: the former configuration is saved on the target under `snapshot`.
 */
export interface OpenWatch {
  readonly run: string;
  readonly digest: string;
  /** Git commit of the desired state; undefined outside git. */
  readonly commit: string | undefined;
  /** Digest of the operations. Identifies a refused change outside git. */
  readonly operations: string;
  /** Desired state of the places that the commit changes. */
  readonly wish?: RefusedState | undefined;
  readonly checks: Checks;
  readonly snapshot: string;
  /** In the order of writing. */
  readonly written: readonly WrittenRow[];
  /** Start of the description that the job of the commit bears. */
  readonly description: string;
  /** Time on the target's clock, `yyyy/mm/dd hh:mm:ss`, just before the commit was sent. */
  readonly asked: string;
  /** Time of the end of the commit on the target's clock, once known. */
  readonly since?: string | undefined;
  /** Records that each watch would have counted in its window before the commit. */
  readonly baseline: readonly number[];
  /** Probes that failed before the first write, by their place among the checks: they judge from their first success on. */
  readonly failedBefore?: readonly number[] | undefined;
  /** State of the ledger to restore if the commit is rolled back. */
  readonly before: {
    readonly commit: string | undefined;
    /** Paths that were not in the ledger before. */
    readonly added: readonly string[];
    /** Paths that an earlier run announced and never read back. They become announced again. */
    readonly announced?: readonly string[] | undefined;
    /** Former state of the ledger's rows that the commit changes. */
    readonly rows?: Readonly<Record<string, OwnershipRow>> | undefined;
    readonly adopted: readonly string[];
    readonly secrets: Readonly<Record<string, { readonly plain: string; readonly stored: string }>>;
  };
  /** Reason for the rollback. Undefined while undecided. */
  readonly tripped?: string | undefined;
}

/** A change that was rolled back. Runs do not apply it again until the desired state at its places changes. */
export interface RefusedCommit {
  readonly commit: string | undefined;
  readonly operations: string;
  /** Desired state of the places that were rolled back. Missing in ledgers of earlier versions. */
  readonly wish?: RefusedState | undefined;
  /** `checksDigest` of the checks that judged it. */
  readonly checks?: string | undefined;
  /** Time of the rollback on the target's clock. */
  readonly at?: string | undefined;
  readonly why: string;
}
