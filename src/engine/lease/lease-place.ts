import { PlumblineError } from "../../core/errors.js";
import { NewerFormat, newerLedger } from "../ledger/newer-format.js";
import { type LedgerKey, type LedgerStore, VersionConflict } from "../ledger/store.js";
import { decodeLease, encodeLease, type LeaseText } from "./lease-text.js";

/** A lease and the version of its text. */
export interface SeenLease {
  readonly lease: LeaseText;
  readonly version: string;
}

/** The leases of one owner's targets, stored next to the owner's ledgers. Each is replaced by compare-and-swap. */
export class LeasePlace {
  readonly #store: LedgerStore;
  readonly #owner: string;

  constructor(store: LedgerStore, owner: string) {
    this.#store = store;
    this.#owner = owner;
  }

  /** Reads a lease. Undefined if no run ever took it. @throws PlumblineError `ledger-unreadable`, `ledger-newer` (refused) */
  async look(target: string): Promise<SeenLease | undefined> {
    try {
      const found = await this.#store.read(this.#key(target));
      return found === undefined ? undefined : { lease: decodeLease(found.text), version: found.version };
    } catch (error) {
      throw this.#unreadable(target, error);
    }
  }

  /** Clock of the store, which all writers share. Undefined if the store has none. */
  async clock(): Promise<number | undefined> {
    return await this.#store.clock?.();
  }

  /** Returns the new version. Undefined if another run wrote in the meantime. @throws PlumblineError `ledger-unwritable` */
  async swap(target: string, lease: LeaseText, expected: string | undefined): Promise<string | undefined> {
    try {
      return await this.#store.write(this.#key(target), encodeLease(lease), expected);
    } catch (error) {
      if (error instanceof VersionConflict) return undefined;
      if (error instanceof PlumblineError) throw error;
      throw new PlumblineError("ledger-unwritable", `The lease of the target cannot be written: ${this.#why(target, error)}`, {
        where: { target },
        next: "Give this account write access to the place of the ledgers, or name another place with --ledger FILE|URL.",
        cause: error,
      });
    }
  }

  /** Leases of one target by owner: of every owner with a ledger there. @throws PlumblineError as `look` */
  async everyones(target: string): Promise<ReadonlyMap<string, SeenLease>> {
    try {
      const found = await this.#store.readAll(leaseName(target));
      return new Map([...found].map(([owner, { text, version }]) => [owner, { lease: decodeLease(text), version }]));
    } catch (error) {
      throw this.#unreadable(target, error);
    }
  }

  #key(target: string): LedgerKey {
    return { owner: this.#owner, target: leaseName(target) };
  }

  #why(target: string, error: unknown): string {
    return `${this.#store.describe(this.#key(target))}: ${error instanceof Error ? error.message : String(error)}`;
  }

  #unreadable(target: string, error: unknown): PlumblineError {
    if (error instanceof PlumblineError) return error;
    if (error instanceof NewerFormat) return newerLedger(target, this.#why(target, error));
    return new PlumblineError("ledger-unreadable", `Who writes to the target cannot be read: ${this.#why(target, error)}`, {
      where: { target },
      next: "Make the place of the ledgers readable, and run again.",
      severity: "refused",
      cause: error,
    });
  }
}

/** Target names cannot contain a colon. */
function leaseName(target: string): string {
  return `:lease:${target}`;
}
