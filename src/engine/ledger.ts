import type { Path } from "../core/tree/path.js";
import type { OpenWatch, RefusedCommit } from "./watch/open-watch.js";

/**
 * What we own, remembered between runs (FORMAT.md 5): the paths of one owner on one target and the commit that
 * declared them; no values but keyed fingerprints of secrets.
 */
export interface LedgerRecord {
  readonly owner: string;
  readonly target: string;
  /** Commit of the desired state that was applied, or undefined outside git. */
  readonly commit: string | undefined;
  /** Canonical XPaths, sorted, of every owned entry, member set and leaf outside a whole entry. */
  readonly paths: readonly string[];
  /** Those of `paths` that were noted before a write and have not been read back yet: that they are absent proves nothing. */
  readonly announced?: readonly string[] | undefined;
  /** Lists adopted as exclusive: first contact is over. */
  readonly adopted: readonly string[];
  /** XPath of a stored secret to HMAC fingerprints of our plaintext and of the ciphertext read back. */
  readonly secrets: Readonly<Record<string, { readonly plain: string; readonly stored: string }>>;
  /** Deletes sent on `day` (yyyy-mm-dd), for the daily budget. */
  readonly deletes?: { readonly day: string; readonly count: number } | undefined;
  /** Operations (their digest) that were applied at `commit` and did not make live equal: not sent again until git moves. */
  readonly stuck?: { readonly commit: string | undefined; readonly operations: string } | undefined;
  /** A commit on the target that its checks have not confirmed yet. */
  readonly watch?: OpenWatch | undefined;
  /** A commit of the desired state that its checks took back: not applied again until git moves. */
  readonly refused?: RefusedCommit | undefined;
}

export type LedgerState =
  | { readonly state: "present"; readonly record: LedgerRecord }
  | { readonly state: "missing" }
  | { readonly state: "unreadable"; readonly reason: string };

/** Where ledgers live: a folder of the state, a git ref, or a file. Writing is atomic; a torn ledger reads as unreadable, never as empty. */
export interface Ledger {
  /** `missing` and `unreadable` mean that deletions are unknown. */
  read(owner: string, target: string): Promise<LedgerState>;
  /**
   * Replaces what this object last read or wrote of that owner and target.
   * @throws PlumblineError `ledger-conflict` when somebody else wrote in between, `ledger-unwritable` when it cannot be stored.
   */
  write(record: LedgerRecord): Promise<void>;
  /** Paths in readable ledgers of other owners on this target, each with its owner. */
  foreign(owner: string, target: string): Promise<ReadonlyMap<string, string>>;
}

/** True when any path of the ledger lies at or below `path`. Given a set made of `paths`, callers test exact rows themselves. */
export function ownsBelow(record: LedgerRecord, path: Path): boolean {
  const prefix = path.toString();
  return record.paths.some(
    (row) => row === prefix || (row.startsWith(prefix) && (row[prefix.length] === "/" || row[prefix.length] === "[")),
  );
}
