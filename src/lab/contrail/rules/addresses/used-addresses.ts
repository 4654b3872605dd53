import { type Address, formatAddress } from "../../addresses/ip.js";
import { holds, type Network } from "../../addresses/network.js";

interface Scope {
  /** Address text by the object that has it. */
  readonly byOwner: Map<string, Address>;
  readonly taken: Set<string>;
  /** Where the search in a range goes on, so that filling it is not quadratic. */
  readonly next: Map<string, bigint>;
}

/** A range to take addresses from; downwards from the last unless `fromStart`. */
export interface Range {
  readonly bits: 32 | 128;
  readonly first: bigint;
  readonly last: bigint;
  readonly fromStart: boolean;
}

/** Addresses in use, by network (or by flat IPAM, whose addresses all of its networks share). */
export class UsedAddresses {
  readonly #scopes = new Map<string, Scope>();

  /** Whether it was free. */
  take(scopeId: string, owner: string, address: Address): boolean {
    const scope = this.#scope(scopeId);
    const text = formatAddress(address);
    if (scope.taken.has(text)) return false;
    scope.taken.add(text);
    scope.byOwner.set(owner, address);
    return true;
  }

  free(scopeId: string, owner: string): void {
    const scope = this.#scope(scopeId);
    const address = scope.byOwner.get(owner);
    if (address === undefined) return;
    scope.taken.delete(formatAddress(address));
    scope.byOwner.delete(owner);
    scope.next.clear();
  }

  /** The first address of the range that is neither taken nor reserved. */
  firstFree(scopeId: string, { bits, first, last, fromStart }: Range, reserved: ReadonlySet<string>): Address | undefined {
    const scope = this.#scope(scopeId);
    const key = `${bits} ${first} ${last} ${fromStart}`;
    const step = fromStart ? 1n : -1n;
    for (let value = scope.next.get(key) ?? (fromStart ? first : last); value >= first && value <= last; value += step) {
      const text = formatAddress({ bits, value });
      if (scope.taken.has(text) || reserved.has(text)) continue;
      scope.next.set(key, value);
      return { bits, value };
    }
    return undefined;
  }

  /** An address in use that lies in the block. */
  inUse(scopeId: string, network: Network): string | undefined {
    for (const address of this.#scope(scopeId).byOwner.values()) if (holds(network, address)) return formatAddress(address);
    return undefined;
  }

  #scope(id: string): Scope {
    const scope = this.#scopes.get(id) ?? { byOwner: new Map(), taken: new Set(), next: new Map() };
    this.#scopes.set(id, scope);
    return scope;
  }
}
