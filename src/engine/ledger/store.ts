/** A text and the version it was read at; versions are opaque and equal only for equal content. */
export interface Versioned {
  readonly text: string;
  readonly version: string;
  /** The text was merged from two stores and is in neither. */
  readonly isUnwritten?: boolean | undefined;
}

/** One ledger's address. */
export interface LedgerKey {
  readonly owner: string;
  readonly target: string;
}

/** Thrown by a store when the text is no longer at the expected version. */
export class VersionConflict extends Error {}

/** Store of ledger texts. A write replaces one complete text, and only if the text still has the version that the writer read. */
export interface LedgerStore {
  /** For messages, for example `git ref refs/plumbline/netops/edge on origin`. */
  describe(key: LedgerKey): string;
  /** Undefined if there is no text. Throws if the store cannot be read. */
  read(key: LedgerKey): Promise<Versioned | undefined>;
  /** `expected` undefined: no text may exist. Resolves to the new version. @throws VersionConflict */
  write(key: LedgerKey, text: string, expected: string | undefined): Promise<string>;
  /** Owners with a ledger on this target. */
  owners(target: string): Promise<readonly string[]>;
  /** Returns the targets of an owner that have a ledger. Leases and notices, whose names begin with a colon, are not among them. */
  targets(owner: string): Promise<readonly string[]>;
  /** Milliseconds since 1970 by the clock of the store, which all writers share. Undefined without such a clock. */
  clock?(): Promise<number | undefined>;
  /** The texts of every owner on this target, in one look. */
  readAll(target: string): Promise<ReadonlyMap<string, Versioned>>;
}

/** Returns the names of targets, sorted and without leases and notices. */
export function targetsIn(names: Iterable<string>): readonly string[] {
  return [...new Set(names)].filter((name) => !name.startsWith(":")).sort();
}
