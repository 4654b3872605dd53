import type { Checkout } from "../engine/checkout/checkout.js";
import type { Git } from "../engine/checkout/git.js";
import type { Ledger } from "../engine/ledger/ledger.js";
import { OneLedger } from "../engine/ledger/one-ledger.js";
import { FRESH_LISTING, type GitAccess, openLedgerStore, sharedRefs } from "../engine/ledger/open-ledger.js";
import type { SharedRefs } from "../engine/ledger/shared-refs.js";
import type { LedgerStore } from "../engine/ledger/store.js";

export interface AgentLedgersOptions {
  /** Value of `--ledger`. It overrides the `ledger:` setting of commits. */
  readonly flag: string | undefined;
  /** Ledger in the agent's store. */
  readonly stored: LedgerStore;
  /** Several agents share the store. */
  readonly isShared: boolean;
  /** Returns the checkout that manual runs work in, and the git client that may push from it. */
  readonly manualCheckout: () => { readonly checkout: Checkout; readonly git: Git | undefined };
  readonly stateFolder: string;
  readonly monotonic: () => number;
}

/** Milliseconds for which one listing serves all targets. Used for a ledger to which only runs of older versions still write. */
const SELDOM = 10 * 60_000;

/**
 * Ledgers of an agent, by the `ledger:` setting of the commit. All runners share them (docs/contributing/decisions.md#19-one-ledger-for-all-runners-with-the-origin-of-each-row). The agent's own store
 * is the ledger only if several agents share it or the setting names it.
 */
export class AgentLedgers {
  readonly #options: AgentLedgersOptions;
  readonly #ledgers = new Map<string, Ledger>();
  readonly #stores = new Map<string, LedgerStore>();
  #shared: SharedRefs | undefined;

  constructor(options: AgentLedgersOptions) {
    this.#options = options;
  }

  /** Returns the ledger for the `ledger:` setting of a commit. */
  at(setting: string | undefined): Ledger {
    const { flag, isShared } = this.#options;
    const place = flag ?? setting ?? (isShared ? "store" : "git");
    const ledger = this.#ledgers.get(place) ?? this.#open(place);
    this.#ledgers.set(place, ledger);
    return ledger;
  }

  /** Returns the store of the leases. They are in the same place as the ledger. */
  leases(setting: string | undefined): LedgerStore {
    const { flag, isShared, stored } = this.#options;
    const place = flag ?? setting ?? (isShared ? "store" : "git");
    return place === "store" ? stored : this.#nextTo(place, FRESH_LISTING);
  }

  /** Returns the place of the pauses and approvals of other runners. Each read lists it again. */
  board(setting: string | undefined): LedgerStore {
    return this.#nextTo(this.#options.flag ?? setting, undefined);
  }

  /** Returns a ledger that evaluates `setting` at each call. */
  following(setting: () => string | undefined): Ledger {
    return {
      read: (owner, target) => this.at(setting()).read(owner, target),
      write: (record) => this.at(setting()).write(record),
      foreign: (owner, target) => this.at(setting()).foreign(owner, target),
    };
  }

  #open(place: string): Ledger {
    const { stored } = this.#options;
    const nextTo = (age: number) => () => this.#nextTo(place, age);
    if (place === "store") return new OneLedger({ place: () => stored, former: nextTo(SELDOM), formerName: "git" });
    const former = () => (place === "git" ? stored : undefined);
    return new OneLedger({ place: nextTo(FRESH_LISTING), former, formerName: "store" });
  }

  #nextTo(setting: string | undefined, age: number | undefined): LedgerStore {
    const { stateFolder, monotonic } = this.#options;
    const key = `${setting === undefined || setting === "store" ? "git" : setting} ${age}`;
    const known = this.#stores.get(key);
    if (known !== undefined) return known;
    const { checkout, git } = this.#options.manualCheckout();
    this.#shared ??= sharedRefs(checkout, git, monotonic);
    const access: GitAccess = { git, reuse: age === undefined ? undefined : { age, monotonic }, shared: this.#shared };
    const store = openLedgerStore(setting, checkout, stateFolder, access);
    this.#stores.set(key, store);
    return store;
  }
}
