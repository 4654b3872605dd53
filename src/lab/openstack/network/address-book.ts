import type { Range } from "./addresses.js";

/** Which addresses of one subnet are taken, and by which port. */
export class AddressBook {
  readonly #takenBy = new Map<bigint, string>();
  /** No address below it is free in the pools. */
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

  /** The lowest free address of the pools; undefined when there is none. */
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

  /** The pools changed: what was below them may be free now. */
  rewind(): void {
    this.#lowest = 0n;
  }
}
