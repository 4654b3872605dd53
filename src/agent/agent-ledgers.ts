import type { Git } from "../engine/checkout/git.js";
import type { Checkout } from "../engine/checkout.js";
import { OneLedger } from "../engine/ledger/one-ledger.js";
import { FRESH_LISTING, type GitAccess, openLedgerStore } from "../engine/ledger/open-ledger.js";
import type { LedgerStore } from "../engine/ledger/store.js";
import type { Ledger } from "../engine/ledger.js";

export interface AgentLedgersOptions {
  /** `--ledger`, before what commits say. */
  readonly flag: string | undefined;
  /** In the agent's store. */
  readonly stored: LedgerStore;
  /** Several agents have that store. */
  readonly isShared: boolean;
  /** The checkout that runs by hand would work in, and the git that may push there. */
  readonly beside: () => { readonly checkout: Checkout; readonly git: Git | undefined };
  readonly stateFolder: string;
  readonly monotonic: () => number;
}

/** Milliseconds that one listing serves all targets, of a place in which only runs of versions before still write. */
const SELDOM = 10 * 60_000;

/**
 * The ledgers of an agent, by what `ledger:` of a commit says: those that every runner has (docs/adr/0023-one-ledger.md). The
 * agent's own store is one of them only where several agents have it, or where that is said.
 */
export class AgentLedgers {
  readonly #options: AgentLedgersOptions;
  readonly #ledgers = new Map<string, Ledger>();
  readonly #stores = new Map<string, LedgerStore>();

  constructor(options: AgentLedgersOptions) {
    this.#options = options;
  }

  /** `said` is `ledger:` of a commit. */
  at(said: string | undefined): Ledger {
    const { flag, isShared } = this.#options;
    const place = flag ?? said ?? (isShared ? "store" : "git");
    const ledger = this.#ledgers.get(place) ?? this.#open(place);
    this.#ledgers.set(place, ledger);
    return ledger;
  }

  /** Where leases are: where the ledger that `said` names is. */
  leases(said: string | undefined): LedgerStore {
    const { flag, isShared, stored } = this.#options;
    const place = flag ?? said ?? (isShared ? "store" : "git");
    return place === "store" ? stored : this.#beside(place, FRESH_LISTING);
  }

  /** Where pauses and approvals of other runners are: looked at anew each time. */
  board(said: string | undefined): LedgerStore {
    return this.#beside(this.#options.flag ?? said, undefined);
  }

  /** The ledger that `said` names at each call. */
  following(said: () => string | undefined): Ledger {
    return {
      read: (owner, target) => this.at(said()).read(owner, target),
      write: (record) => this.at(said()).write(record),
      foreign: (owner, target) => this.at(said()).foreign(owner, target),
    };
  }

  #open(place: string): Ledger {
    const { stored } = this.#options;
    const beside = (age: number) => () => this.#beside(place, age);
    if (place === "store") return new OneLedger({ place: () => stored, former: beside(SELDOM), formerName: "git" });
    const former = () => (place === "git" ? stored : undefined);
    return new OneLedger({ place: beside(FRESH_LISTING), former, formerName: "store" });
  }

  #beside(said: string | undefined, age: number | undefined): LedgerStore {
    const { stateFolder, monotonic } = this.#options;
    const key = `${said === undefined || said === "store" ? "git" : said} ${age}`;
    const known = this.#stores.get(key);
    if (known !== undefined) return known;
    const { checkout, git } = this.#options.beside();
    const access: GitAccess = { git, reuse: age === undefined ? undefined : { age, monotonic } };
    const store = openLedgerStore(said, checkout, stateFolder, access);
    this.#stores.set(key, store);
    return store;
  }
}
