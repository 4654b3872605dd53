import { PlumblineError } from "../../core/errors.js";
import { decodeRecord, encodeRecord } from "./codec.js";
import type { Ledger, LedgerRecord, LedgerState } from "./ledger.js";
import { NewerFormat, newerLedger } from "./newer-format.js";
import { type LedgerKey, type LedgerStore, VersionConflict, type Versioned } from "./store.js";

/** The ledger in any store: records as text, written by compare-and-swap against the version of the last read. */
export class StoredLedger implements Ledger {
  readonly #store: LedgerStore;
  readonly #seen = new Map<string, string | undefined>();
  /** The last record. A run reads its ledger again under its lock and usually finds the same version. */
  #last: { readonly key: string; readonly version: string; readonly record: LedgerRecord } | undefined;
  /** Ledgers of a later version, with their location. */
  readonly #newer = new Map<string, string>();

  constructor(store: LedgerStore) {
    this.#store = store;
  }

  async read(owner: string, target: string): Promise<LedgerState> {
    const key = { owner, target };
    this.#newer.delete(seenKey(key));
    try {
      const found = await this.#store.read(key);
      this.#seen.set(seenKey(key), found?.version);
      if (found === undefined) return { state: "missing" };
      const record = this.#recordIn(seenKey(key), found);
      if (record.owner === owner && record.target === target)
        return found.isUnwritten === true ? { state: "present", record, isUnwritten: true } : { state: "present", record };
      return { state: "unreadable", reason: `${this.#store.describe(key)} belongs to another owner or target` };
    } catch (error) {
      const reason = `${this.#store.describe(key)}: ${error instanceof Error ? error.message : String(error)}`;
      if (!(error instanceof NewerFormat)) return { state: "unreadable", reason };
      this.#newer.set(seenKey(key), reason);
      return { state: "unreadable", reason, isNewer: true };
    }
  }

  #recordIn(key: string, { text, version }: Versioned): LedgerRecord {
    if (this.#last?.key !== key || this.#last.version !== version) this.#last = { key, version, record: decodeRecord(text) };
    return this.#last.record;
  }

  async write(record: LedgerRecord): Promise<void> {
    const key = { owner: record.owner, target: record.target };
    const newer = this.#newer.get(seenKey(key));
    if (newer !== undefined) throw newerLedger(record.target, newer);
    try {
      this.#seen.set(seenKey(key), await this.#store.write(key, encodeRecord(record), this.#seen.get(seenKey(key))));
    } catch (error) {
      if (error instanceof VersionConflict) {
        throw new PlumblineError("ledger-conflict", `${this.#store.describe(key)} was written by another run in between`, {
          where: { target: record.target },
          next: "Run again: the new plan uses the newer ledger.",
          cause: error,
        });
      }
      // The store's own errors are already complete.
      if (error instanceof PlumblineError) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw new PlumblineError("ledger-unwritable", `${this.#store.describe(key)} cannot be written: ${reason}`, {
        where: { target: record.target },
        next: "Give this account the right to write there, or name another place with --ledger FILE|URL.",
        cause: error,
      });
    }
  }

  async foreign(owner: string, target: string): Promise<ReadonlyMap<string, string>> {
    const paths = new Map<string, string>();
    for (const other of await this.#store.owners(target)) {
      if (other === owner) continue;
      const found = await this.#store.read({ owner: other, target });
      if (found !== undefined) for (const path of decodeRecord(found.text).paths) paths.set(path, other);
    }
    return paths;
  }
}

function seenKey(key: LedgerKey): string {
  return JSON.stringify([key.owner, key.target]);
}
