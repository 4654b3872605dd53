import type { Store } from "../agent/store/store.js";
import { PlumblineError } from "../core/errors.js";
import type { StoredApprovals } from "../engine/approvals.js";
import type { StoreLedgers } from "../engine/ledger/open-ledger.js";
import type { LedgerKey, LedgerStore } from "../engine/ledger/store.js";
import type { Context } from "./context.js";
import type { GlobalOptions } from "./options.js";

/** Returns ledgers in the store that `store:` names. The store is opened for each read and each write. */
export function storeLedgers(flags: GlobalOptions, context: Context): StoreLedgers {
  return {
    async isShared(setting) {
      const { PLUMBLINE_STORE: address = "" } = context.environment;
      const text = address === "" ? setting : address;
      if (text === undefined || text.startsWith("sqlite:")) return false;
      if (/^postgres(?:ql)?:/.test(text)) return true;
      try {
        return (await locate(flags, context)).kind === "postgres";
      } catch (error) {
        // A store is configured and its address cannot be read: no other place may be used instead.
        if (error instanceof PlumblineError) return true;
        throw error;
      }
    },
    open: async () =>
      new BorrowedStore((readOnly, work) => withStore(flags, context, { readOnly }, async ({ ledgers }) => await work(ledgers))),
  };
}

/** Returns the approvals in the store. A missing store has no approvals. */
export function storedApprovals(flags: GlobalOptions, context: Context): StoredApprovals {
  return {
    approval: (target, digest) =>
      unlessMissing(() => withStore(flags, context, { readOnly: true }, ({ approvals }) => approvals.get(target, digest)), undefined),
  };
}

async function locate(flags: GlobalOptions, context: Context) {
  const { findStore } = await import("./store.js");
  return await findStore(flags, context);
}

async function withStore<T>(
  flags: GlobalOptions,
  context: Context,
  options: { readonly readOnly: boolean },
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const { openStore } = await import("../agent/store/open.js");
  const store = await openStore(await locate(flags, context), options);
  try {
    return await work(store);
  } finally {
    await store.close();
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
    return await this.#readStore((ledgers) => ledgers.read(key), undefined);
  }

  async write(key: LedgerKey, text: string, expected: string | undefined): Promise<string> {
    return await this.#borrow(false, (ledgers) => ledgers.write(key, text, expected));
  }

  async clock(): Promise<number | undefined> {
    return await this.#readStore(async (ledgers) => await ledgers.clock?.(), undefined);
  }

  async owners(target: string): Promise<readonly string[]> {
    return await this.#readStore((ledgers) => ledgers.owners(target), []);
  }

  async targets(owner: string): Promise<readonly string[]> {
    return await this.#readStore((ledgers) => ledgers.targets(owner), []);
  }

  async readAll(target: string) {
    return await this.#readStore((ledgers) => ledgers.readAll(target), new Map());
  }

  async #readStore<T>(work: (ledgers: LedgerStore) => Promise<T>, none: T): Promise<T> {
    return await unlessMissing(() => this.#borrow(true, work), none);
  }
}

/** Returns `none` if the store does not exist yet. */
async function unlessMissing<T>(work: () => Promise<T>, none: T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PlumblineError && error.code === "store-missing") return none;
    throw error;
  }
}
