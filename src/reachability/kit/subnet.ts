import { addressNumber } from "../../core/address-range.js";
import type { AddressRange } from "../flows/policy.js";

/** A subnet of a network, with the routes that it gives to its hosts. */
export interface Subnet {
  readonly name: string;
  readonly network: string;
  /** For example `10.1.0.0/24`. */
  readonly text: string;
  readonly range: AddressRange;
  readonly gateway: string | undefined;
  readonly routes: readonly SubnetRoute[];
}

export interface SubnetRoute {
  /** For example `10.0.0.0/8`. */
  readonly text: string;
  readonly range: AddressRange;
  readonly nextHop: string;
}

/** Returns the most specific range that contains the address. The first one wins if several are equal. */
export function narrowest<Each extends { readonly range: AddressRange }>(all: readonly Each[], address: string): Each | undefined {
  const size = ({ range: { first, last } }: Each) => last - first;
  return all
    .filter(({ range }) => holds(range, address))
    .reduce<Each | undefined>((best, each) => (best === undefined || size(each) < size(best) ? each : best), undefined);
}

function holds({ first, last }: AddressRange, address: string): boolean {
  const number = addressNumber(address);
  return number !== undefined && first <= number && number <= last && last >= 1n << 32n === address.includes(":");
}
