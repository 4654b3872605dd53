import type { LedgerStore } from "../engine/ledger/store.js";
import { StoredLedger } from "../engine/ledger/stored-ledger.js";
import type { Ledger, LedgerRecord, LedgerState } from "../engine/ledger.js";

export interface AgentLedgerOptions {
  /** The agent's own, in its store. */
  readonly own: Ledger;
  /** Where runners without a store keep theirs; undefined before there is a commit. */
  readonly shared: () => LedgerStore | undefined;
  readonly monotonic: () => number;
}

const LISTING_AGE = 10 * 60_000;

/**
 * The ledger of an agent: in its store, begun with what runs without a store have left beside the git history. Ledgers
 * of other owners are looked up there, too, by one listing for all targets.
 */
export class AgentLedger implements Ledger {
  readonly #options: AgentLedgerOptions;
  #listing: { readonly at: number; readonly owners: Promise<ReadonlyMap<string, readonly string[]> | undefined> } | undefined;

  constructor(options: AgentLedgerOptions) {
    this.#options = options;
  }

  async read(owner: string, target: string): Promise<LedgerState> {
    const own = await this.#options.own.read(owner, target);
    if (own.state !== "missing") return own;
    const shared = this.#options.shared();
    if (shared === undefined) return own;
    try {
      if (!((await this.#owners(shared, target)) ?? [owner]).includes(owner)) return own;
      return await new StoredLedger(shared).read(owner, target);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return { state: "unreadable", reason: `whether a run without this store has left one cannot be seen: ${reason}` };
    }
  }

  async write(record: LedgerRecord): Promise<void> {
    await this.#options.own.write(record);
  }

  async foreign(owner: string, target: string): Promise<ReadonlyMap<string, string>> {
    const paths = new Map(await this.#options.own.foreign(owner, target));
    const shared = this.#options.shared();
    if (shared === undefined) return paths;
    const others = ((await this.#owners(shared, target)) ?? ["?"]).filter((other) => other !== owner);
    if (others.length > 0) for (const [path, other] of await new StoredLedger(shared).foreign(owner, target)) paths.set(path, other);
    return paths;
  }

  /** Undefined where only the place itself can tell. */
  async #owners(shared: LedgerStore, target: string): Promise<readonly string[] | undefined> {
    const now = this.#options.monotonic();
    if (this.#listing === undefined || now - this.#listing.at > LISTING_AGE) {
      this.#listing = { at: now, owners: shared.allOwners?.() ?? Promise.resolve(undefined) };
      this.#listing.owners.catch(() => {
        this.#listing = undefined;
      });
    }
    const owners = await this.#listing.owners;
    return owners === undefined ? undefined : (owners.get(target) ?? []);
  }
}
