import { type Address, formatAddress } from "../../addresses/ip.js";
import { holds, type Network } from "../../addresses/network.js";

interface Scope {
  /** Addresses by the uuid of the object that uses them. */
  readonly byOwner: Map<string, Address>;
  readonly taken: Set<string>;
  /** Next address to search in each range, so that filling a range is not quadratic. */
  readonly next: Map<string, bigint>;
}

/** Range to allocate from. The search goes down from `last` unless `fromStart`. */
export interface Range {
  readonly bits: 32 | 128;
  readonly first: bigint;
  readonly last: bigint;
  readonly fromStart: boolean;
}

/** Used addresses by network, or by flat IPAM. All networks of a flat IPAM share its addresses. */
export class UsedAddresses {
  readonly #scopes = new Map<string, Scope>();

  /** Marks an address as used. Returns false if it was already in use. */
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

  /** Returns the first unreserved address of the range that no object uses. */
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

  /** Returns a used address in the block. */
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
