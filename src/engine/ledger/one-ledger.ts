import { decodeRecord } from "./codec.js";
import type { Ledger, LedgerRecord, LedgerState } from "./ledger.js";
import { mergedRecord } from "./merge.js";
import type { LedgerStore, Versioned } from "./store.js";
import { StoredLedger } from "./stored-ledger.js";

export interface OneLedgerPlaces {
  /** Returns the store of the ledger. While undefined, the ledger reads as unreadable. */
  readonly place: () => LedgerStore | undefined;
  /** Returns the store that earlier versions used. */
  readonly former: () => LedgerStore | undefined;
  /** Name of that store in `merged`. */
  readonly formerName: "git" | "store";
}

/**
 * The single ledger of an owner and a target for all runs (docs/contributing/decisions.md#19-one-ledger-for-all-runners-with-the-origin-of-each-row). The first read merges the ledger of an earlier
 * version in the other store. A later change of that ledger is merged again.
 */
export class OneLedger implements Ledger {
  readonly #places: OneLedgerPlaces;
  readonly #last = new Map<string, LedgerRecord>();
  #open: { readonly place: LedgerStore; readonly ledger: StoredLedger } | undefined;

  constructor(places: OneLedgerPlaces) {
    this.#places = places;
  }

  async read(owner: string, target: string): Promise<LedgerState> {
    const key = JSON.stringify([owner, target]);
    const state = await this.#read(owner, target);
    if (state.state === "unreadable") return { ...state, lastKnown: this.#last.get(key) };
    if (state.state === "present") this.#last.set(key, state.record);
    else this.#last.delete(key);
    return state;
  }

  async #read(owner: string, target: string): Promise<LedgerState> {
    const ledger = this.#ledger();
    if (ledger === undefined) return { state: "unreadable", reason: "the configuration has not set its place yet" };
    const own = await ledger.read(owner, target);
    const store = this.#places.former();
    if (own.state === "unreadable" || store === undefined) return own;
    const known = own.state === "present" ? own.record.merged?.[this.#places.formerName] : undefined;
    let former: Versioned | undefined;
    try {
      former = await store.read({ owner, target });
      if (former === undefined || former.version === known) return own;
      return { state: "present", record: this.#taken(own, former), isUnwritten: true };
    } catch (error) {
      if (former === undefined && known !== undefined) return own;
      const reason = error instanceof Error ? error.message : String(error);
      return {
        state: "unreadable",
        reason: `${store.describe({ owner, target })}, which earlier runs may have written, cannot be read: ${reason}`,
      };
    }
  }

  async write(record: LedgerRecord): Promise<void> {
    const ledger = this.#ledger();
    if (ledger === undefined) throw new Error("a ledger is written whose place is not known");
    await ledger.write(record);
    this.#last.set(JSON.stringify([record.owner, record.target]), record);
  }

  async foreign(owner: string, target: string): Promise<ReadonlyMap<string, string>> {
    const former = this.#places.former();
    const [own, others] = await Promise.all([
      this.#ledger()?.foreign(owner, target),
      former === undefined ? undefined : new StoredLedger(former).foreign(owner, target),
    ]);
    return new Map([...(others ?? []), ...(own ?? [])]);
  }

  /** If one of the two is missing, the other is used unchanged. */
  #taken(own: LedgerState, { text, version }: Versioned): LedgerRecord {
    const former = decodeRecord(text);
    const record = own.state === "present" ? mergedRecord(own.record, former) : former;
    return { ...record, merged: { ...record.merged, [this.#places.formerName]: version } };
  }

  /** Keeps the ledger object while the store is the same, because a write needs the version of the last read. */
  #ledger(): StoredLedger | undefined {
    const place = this.#places.place();
    if (place === undefined) return undefined;
    if (this.#open?.place !== place) this.#open = { place, ledger: new StoredLedger(place) };
    return this.#open.ledger;
  }
}
