import type { OwnershipRecord } from "../plan/ownership-record.js";
import type { Access } from "./target.js";
import type { OpenWatch, RefusedCommit } from "./watch/open-watch.js";

/** The ledger's rows and what runs note beside them: no values but keyed fingerprints of secrets. */
export interface LedgerRecord extends OwnershipRecord {
  /** The device that the rows belong to (`Opened.devices`). Undefined if an older version wrote the ledger. */
  readonly devices?: readonly string[] | undefined;
  /** A run noted what it would write, and nothing has been read back since: what rows say of content may be of before it. */
  readonly unproven?: boolean | undefined;
  /** Operations (their digest) that were applied at `commit` and did not make live equal: not sent again until git moves. */
  readonly stuck?: { readonly commit: string | undefined; readonly operations: string } | undefined;
  /** The project and roles of the token that saw all of it: to one that has less, absent is not gone. */
  readonly access?: Access | undefined;
  /** Paths of requests that may be carried out after we gave them up, each with the day on which that was (`ledger/unanswered.ts`). */
  readonly unanswered?: Readonly<Record<string, string>> | undefined;
  /** Lists and leaves that rows left, and that firewalls of the target may have still: what a push has to reach though nothing speaks of it. */
  readonly undelivered?: readonly string[] | undefined;
  /** A commit on the target that its checks have not confirmed yet. */
  readonly watch?: OpenWatch | undefined;
  /** Names of configurations that runs of this ledger saved on the target and that may still be there, each with its run. */
  readonly snapshots?: Readonly<Record<string, string>> | undefined;
  /** Versions of ledgers of former places that were taken into this one, by the place. */
  readonly merged?: Readonly<Record<string, string>> | undefined;
  /** A commit of the desired state that its checks took back: not applied again as long as desired state says the same. */
  readonly refused?: RefusedCommit | undefined;
}

export type LedgerState =
  | {
      readonly state: "present";
      readonly record: LedgerRecord;
      /** It was put together from what lies in two places, and is to be written although nothing in it changes. */
      readonly isUnwritten?: boolean | undefined;
    }
  | { readonly state: "missing" }
  | {
      readonly state: "unreadable";
      readonly reason: string;
      /** A later version wrote it: nothing of this version may replace it. */
      readonly isNewer?: boolean | undefined;
      /** What a runner that goes on running read or wrote last. It deletes nothing, and what it does not say already cannot be noted. */
      readonly lastKnown?: LedgerRecord | undefined;
    };

/** Where ledgers live: a folder of the state, a git ref, or a file. Writing is atomic; a torn ledger reads as unreadable, never as empty. */
export interface Ledger {
  /** `missing` and `unreadable` mean that deletions are unknown. */
  read(owner: string, target: string): Promise<LedgerState>;
  /**
   * Replaces what this object last read or wrote of that owner and target.
   * @throws PlumblineError `ledger-conflict` when somebody else wrote in between, `ledger-unwritable` when it cannot be stored,
   * `ledger-newer` (refused) when a later version wrote what was read.
   */
  write(record: LedgerRecord): Promise<void>;
  /** Paths in readable ledgers of other owners on this target, each with its owner. */
  foreign(owner: string, target: string): Promise<ReadonlyMap<string, string>>;
}
