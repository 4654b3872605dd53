import type { Checks } from "../../desired/checks.js";
import type { OwnershipRow } from "../../plan/ownership-record.js";
import type { Wish } from "./refused-wish.js";

/**
 * One thing that a commit of ours changed, without its value: a node by the canonical digest of what we left there
 * (`absent` where we took it away), the place of an entry by the name that it stands behind, or a name.
 */
export type WrittenRow =
  | { readonly kind: "node"; readonly at: string; readonly after: string }
  | { readonly kind: "place"; readonly at: string; readonly behind: string }
  | { readonly kind: "rename"; readonly at: string; readonly from: string };

/**
 * A commit of ours that its checks have not confirmed yet. It stands in the ledger from just before the commit until the
 * decision, so that any run on any machine can take the decision where the first was killed. It holds no values: what
 * was there before is in the configuration that the target saved under `snapshot`.
 */
export interface OpenWatch {
  readonly run: string;
  readonly digest: string;
  /** Git commit of the desired state; undefined outside git. */
  readonly commit: string | undefined;
  /** Digest of the operations: what is refused outside git. */
  readonly operations: string;
  /** What desired state said of what the commit changes. */
  readonly wish?: Wish | undefined;
  readonly checks: Checks;
  readonly snapshot: string;
  /** In the order of writing. */
  readonly written: readonly WrittenRow[];
  /** Start of the description that the job of the commit bears. */
  readonly description: string;
  /** Time on the target's clock, `yyyy/mm/dd hh:mm:ss`, just before the commit was sent. */
  readonly asked: string;
  /** The same of the end of the commit, once it is known. */
  readonly since?: string | undefined;
  /** Records that each watch would have counted in its window before the commit. */
  readonly baseline: readonly number[];
  /** Probes that failed before the first write, by their place among the checks: they judge from their first success on. */
  readonly failedBefore?: readonly number[] | undefined;
  /** What goes back in the ledger when the commit is taken back. */
  readonly before: {
    readonly commit: string | undefined;
    /** Paths that were not ours before. */
    readonly added: readonly string[];
    /** Paths that a run before had announced and never read back: they go back to that. */
    readonly announced?: readonly string[] | undefined;
    /** How rows stood that were ours before and that the commit changes. */
    readonly rows?: Readonly<Record<string, OwnershipRow>> | undefined;
    readonly adopted: readonly string[];
    readonly secrets: Readonly<Record<string, { readonly plain: string; readonly stored: string }>>;
  };
  /** Why the commit is to be taken back, once that is decided. */
  readonly tripped?: string | undefined;
}

/** A commit of the desired state that was taken back: not applied again until desired state says something else there. */
export interface RefusedCommit {
  readonly commit: string | undefined;
  readonly operations: string;
  /** What desired state said of what was taken back; left out by versions before. */
  readonly wish?: Wish | undefined;
  /** `checksDigest` of what judged it. */
  readonly checks?: string | undefined;
  /** When it had been taken back, on the target's clock. */
  readonly at?: string | undefined;
  readonly why: string;
}
