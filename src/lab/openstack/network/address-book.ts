import type { Range } from "./addresses.js";

/** Used addresses of one subnet, with their ports. */
export class AddressBook {
  readonly #takenBy = new Map<bigint, string>();
  /** The pools have no free address below it. */
  #lowest = 0n;

  holder(address: bigint): string | undefined {
    return this.#takenBy.get(address);
  }

  get holders(): readonly string[] {
    return [...this.#takenBy.values()];
  }

  take(address: bigint, portId: string): void {
    this.#takenBy.set(address, portId);
  }

  release(address: bigint): void {
    this.#takenBy.delete(address);
    if (address < this.#lowest) this.#lowest = address;
  }

  /** Returns the lowest free address of the pools, or undefined if all are in use. */
  next(pools: readonly Range[]): bigint | undefined {
    const ordered = [...pools].sort((a, b) => (a.first < b.first ? -1 : 1));
    for (const { first, last } of ordered) {
      for (let address = first > this.#lowest ? first : this.#lowest; address <= last; address++) {
        if (this.#takenBy.has(address)) continue;
        this.#lowest = address;
        return address;
      }
    }
    return undefined;
  }

  /** Restarts the search after the pools changed: lower addresses may be free now. */
  rewind(): void {
    this.#lowest = 0n;
  }
}
