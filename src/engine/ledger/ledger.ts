import type { OwnershipRecord } from "../../plan/ownership-record.js";
import type { Access } from "../target.js";
import type { OpenWatch, RefusedCommit } from "../watch/open-watch.js";

/** Ledger rows and notes of runs. Contains no values, only keyed fingerprints of secrets. */
export interface LedgerRecord extends OwnershipRecord {
  /** The device that the rows belong to (`Opened.devices`). Undefined if an older version wrote the ledger. */
  readonly devices?: readonly string[] | undefined;
  /** A run announced its writes and none was verified since, so the content of rows may be older. */
  readonly unproven?: boolean | undefined;
  /** Digest of operations that were applied at `commit` without making live equal. They are not repeated until git changes. */
  readonly stuck?: { readonly commit: string | undefined; readonly operations: string } | undefined;
  /** Project and roles of the token that saw all rows. To a token with fewer rights, an absent object may still exist. */
  readonly access?: Access | undefined;
  /** Paths of requests without a reply, which may still be executed, each with its day (`ledger/unanswered-requests.ts`). */
  readonly unanswered?: Readonly<Record<string, string>> | undefined;
  /** Paths whose deletion is committed on a manager and not pushed to all firewalls yet. */
  readonly undelivered?: readonly string[] | undefined;
  /** A commit on the target that its checks have not confirmed yet. */
  readonly watch?: OpenWatch | undefined;
  /** Names of saved configurations of earlier runs that may still be on the target, each with its run. */
  readonly snapshots?: Readonly<Record<string, string>> | undefined;
  /** Merged versions of ledgers in former places, by place. */
  readonly merged?: Readonly<Record<string, string>> | undefined;
  /** A commit that its checks rolled back. It is not applied again until the desired state changes. */
  readonly refused?: RefusedCommit | undefined;
}

export type LedgerState =
  | {
      readonly state: "present";
      readonly record: LedgerRecord;
      /** Merged from two places. It must be written even if its content does not change. */
      readonly isUnwritten?: boolean | undefined;
    }
  | { readonly state: "missing" }
  | {
      readonly state: "unreadable";
      readonly reason: string;
      /** Written by a later version of Plumbline. This version must not replace it. */
      readonly isNewer?: boolean | undefined;
      /** Last record that a long-running process read or wrote. It permits no deletion. */
      readonly lastKnown?: LedgerRecord | undefined;
    };

/** Access to ledgers in the state folder, a git ref or a file. Writes are atomic. A damaged ledger is unreadable, never empty. */
export interface Ledger {
  /** `missing` and `unreadable` mean that deletions are unknown. */
  read(owner: string, target: string): Promise<LedgerState>;
  /**
   * Replaces the record of this owner and target that this object last read or wrote.
   * @throws PlumblineError `ledger-conflict` if another run wrote in between, `ledger-unwritable` if it cannot be stored,
   * `ledger-newer` (refused) if a later version of Plumbline wrote the record.
   */
  write(record: LedgerRecord): Promise<void>;
  /** Returns the paths in readable ledgers of other owners on this target, each with its owner. */
  foreign(owner: string, target: string): Promise<ReadonlyMap<string, string>>;
}
