import { isIP } from "node:net";
import { addressNumber } from "../../../core/address-range.js";
import type { AddressRange } from "../../../reachability/flows/policy.js";

/** Maximum number of ranges to list for a wildcard. */
const MOST_INTERVALS = 4096;

/** An IPv4 address with a mask of bits to ignore: `10.20.1.0/0.0.248.255`. */
export interface Wildcard {
  readonly base: number;
  /** A set bit is ignored. */
  readonly free: number;
}

export function readWildcard(text: string): Wildcard | undefined {
  const [address = "", mask = "", ...more] = text.split("/");
  if (isIP(address) !== 4 || isIP(mask) !== 4 || more.length > 0) return undefined;
  const free = Number(addressNumber(mask));
  const base = (Number(addressNumber(address)) & ~free) >>> 0;
  return { base, free };
}

/** Returns all addresses of a wildcard as ranges. Undefined if there are too many. */
export function wildcardRanges({ base, free }: Wildcard): readonly AddressRange[] | undefined {
  const trailing = free === 0xffffffff ? 32 : 31 - Math.clz32(lowestZero(free));
  const size = 2 ** trailing;
  const choices: number[] = [];
  for (let bit = trailing; bit < 32; bit++) if (((free >>> bit) & 1) === 1) choices.push(2 ** bit);
  if (2 ** choices.length > MOST_INTERVALS) return undefined;
  let starts = [base];
  for (const choice of choices) starts = starts.flatMap((start) => [start, start + choice]);
  return starts.sort((a, b) => a - b).map((start) => ({ first: BigInt(start), last: BigInt(start + size - 1) }));
}

/** Returns the range of addresses that share the bits before the first ignored bit. */
export function leadingPrefix({ base, free }: Wildcard): AddressRange & { readonly length: number } {
  const length = Math.clz32(free);
  const size = 2 ** (32 - length);
  const first = base - (base % size);
  return { first: BigInt(first), last: BigInt(first + size - 1), length };
}

/** Returns the lowest zero bit. */
function lowestZero(bits: number): number {
  return (~bits & (bits + 1)) >>> 0;
}
