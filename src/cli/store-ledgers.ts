import { PlumblineError } from "../core/errors.js";
import type { StoreLedgers } from "../engine/ledger/open-ledger.js";
import type { LedgerKey, LedgerStore } from "../engine/ledger/store.js";
import type { Context } from "./context.js";
import type { GlobalOptions } from "./options.js";

/** Ledgers in the store that `store:` names, for a run that otherwise needs none: it is opened for each look and each write. */
export function storeLedgers(flags: GlobalOptions, context: Context): StoreLedgers {
  return {
    async isShared(said) {
      const { PLUMBLINE_STORE: address = "" } = context.environment;
      const text = address === "" ? said : address;
      if (text === undefined || text.startsWith("sqlite:")) return false;
      if (/^postgres(?:ql)?:/.test(text)) return true;
      try {
        return (await locate()).kind === "postgres";
      } catch (error) {
        // It is said where, and cannot be read: nobody may then take another place for it.
        if (error instanceof PlumblineError) return true;
        throw error;
      }
    },
    open: async () => new BorrowedStore(borrow),
  };

  async function locate() {
    const { findStore } = await import("./store.js");
    return await findStore(flags, context);
  }

  async function borrow<T>(readOnly: boolean, work: (ledgers: LedgerStore) => Promise<T>): Promise<T> {
    const { openStore } = await import("../agent/store/open.js");
    const store = await openStore(await locate(), { readOnly });
    try {
      return await work(store.ledgers);
    } finally {
      await store.close();
    }
  }
}

type Borrow = <T>(readOnly: boolean, work: (ledgers: LedgerStore) => Promise<T>) => Promise<T>;

class BorrowedStore implements LedgerStore {
  readonly #borrow: Borrow;

  constructor(borrow: Borrow) {
    this.#borrow = borrow;
  }

  describe({ owner, target }: LedgerKey): string {
    return `ledger of ${owner} on ${target} in the agents' store`;
  }

  async read(key: LedgerKey) {
    return await this.#look((ledgers) => ledgers.read(key), undefined);
  }

  async write(key: LedgerKey, text: string, expected: string | undefined): Promise<string> {
    return await this.#borrow(false, (ledgers) => ledgers.write(key, text, expected));
  }

  async clock(): Promise<number | undefined> {
    return await this.#look(async (ledgers) => await ledgers.clock?.(), undefined);
  }

  async owners(target: string): Promise<readonly string[]> {
    return await this.#look((ledgers) => ledgers.owners(target), []);
  }

  async readAll(target: string) {
    return await this.#look((ledgers) => ledgers.readAll(target), new Map());
  }

  /** A store that nobody has made yet holds nothing. */
  async #look<T>(work: (ledgers: LedgerStore) => Promise<T>, none: T): Promise<T> {
    try {
      return await this.#borrow(true, work);
    } catch (error) {
      if (error instanceof PlumblineError && error.code === "store-missing") return none;
      throw error;
    }
  }
}
