import type { Ledger, LedgerRecord, LedgerState } from "../ledger.js";
import { decodeRecord } from "./codec.js";
import { mergedRecord } from "./merge.js";
import type { LedgerStore, Versioned } from "./store.js";
import { StoredLedger } from "./stored-ledger.js";

export interface OneLedgerPlaces {
  /** Where the ledger is. Undefined as long as that is not known, which reads as unreadable. */
  readonly place: () => LedgerStore | undefined;
  /** Where runs of versions before kept one of their own. */
  readonly former: () => LedgerStore | undefined;
  /** What the ledger calls that place in `merged`. */
  readonly formerName: "git" | "store";
}

/**
 * The one ledger of an owner and a target, whoever runs (docs/adr/0023-one-ledger.md). What runs of versions before left in
 * the other place is taken in when it is first seen, and again when such a run has written there since.
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
    if (ledger === undefined) return { state: "unreadable", reason: "where it is, the configuration has not said yet" };
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
        reason: `${store.describe({ owner, target })}, which runs before may have left, cannot be read: ${reason}`,
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

  /** One that is missing contradicts nothing: the other is taken as it is. */
  #taken(own: LedgerState, { text, version }: Versioned): LedgerRecord {
    const former = decodeRecord(text);
    const record = own.state === "present" ? mergedRecord(own.record, former) : former;
    return { ...record, merged: { ...record.merged, [this.#places.formerName]: version } };
  }

  /** What was seen last is remembered for the write after it, as long as the place is the same. */
  #ledger(): StoredLedger | undefined {
    const place = this.#places.place();
    if (place === undefined) return undefined;
    if (this.#open?.place !== place) this.#open = { place, ledger: new StoredLedger(place) };
    return this.#open.ledger;
  }
}
