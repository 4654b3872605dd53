import { type Address, formatAddress, parseAddress } from "./ip.js";

/** A block of addresses, both ends included. */
export interface Network {
  readonly bits: 32 | 128;
  readonly first: bigint;
  readonly last: bigint;
  readonly length: number;
}

/** The block that holds the address; host bits do not count. Undefined when address or length is impossible. */
export function networkOf(prefix: string, length: number): Network | undefined {
  const address = parseAddress(prefix);
  if (address === undefined || !Number.isInteger(length) || length < 0 || length > address.bits) return undefined;
  const hosts = BigInt(address.bits - length);
  const first = (address.value >> hosts) << hosts;
  return { bits: address.bits, first, last: first + (1n << hosts) - 1n, length };
}

/** Reads `<address>/<length>`. */
export function parseNetwork(cidr: string): Network | undefined {
  const [prefix = "", length = "", ...rest] = cidr.split("/");
  return rest.length > 0 || !/^\d+$/.test(length) ? undefined : networkOf(prefix, Number(length));
}

/** `<network address>/<length>`. */
export function cidrOf({ bits, first, length }: Network): string {
  return `${formatAddress({ bits, value: first })}/${length}`;
}

export function holds({ bits, first, last }: Network, address: Address | undefined): boolean {
  return address !== undefined && address.bits === bits && address.value >= first && address.value <= last;
}

/** The address that lies this many steps after the first of the block, or before the last when negative (-1 is the last but one). */
export function hostAt({ bits, first, last }: Network, steps: number): string {
  return formatAddress({ bits, value: steps >= 0 ? first + BigInt(steps) : last + BigInt(steps) });
}

/** The first two blocks, in order of address, that overlap. */
export function firstOverlap(networks: readonly Network[]): readonly [Network, Network] | undefined {
  const sorted = [...networks].sort((a, b) => a.bits - b.bits || (a.first < b.first ? -1 : a.first > b.first ? 1 : a.length - b.length));
  for (let index = 1; index < sorted.length; index++) {
    const [former, latter] = [sorted[index - 1], sorted[index]];
    if (former !== undefined && latter !== undefined && former.bits === latter.bits && latter.first <= former.last) return [former, latter];
  }
  return undefined;
}
