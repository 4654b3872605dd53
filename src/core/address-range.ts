import { isIP } from "node:net";
import { hextets } from "./tree/canonical-network.js";

/** First and last address, both inclusive. */
interface Range {
  readonly first: bigint;
  readonly last: bigint;
}

/** Returns the number of an address. IPv4 addresses have their own 32-bit number (`::/96`). Undefined for other texts. */
export function addressNumber(text: string): bigint | undefined {
  if (isIP(text) === 4) return BigInt(text.split(".").reduce((sum, part) => sum * 256 + Number(part), 0));
  if (isIP(text) !== 6 || text.includes("%")) return undefined;
  const [left = [], right = []] = hextets(text);
  const zeros = new Array<string>(8 - left.length - right.length).fill("0");
  return [...left, ...zeros, ...right].reduce((sum, part) => (sum << 16n) | BigInt(`0x${part}`), 0n);
}

/** Returns true if both texts are the same address. */
export function isSameAddress(one: string, other: string | undefined): boolean {
  return other !== undefined && addressNumber(one) === addressNumber(other);
}

/** Returns whether two ranges have a common address. */
export function rangesMeet(one: Range, other: Range): boolean {
  return one.first <= other.last && other.first <= one.last;
}

/** Returns whether a range contains all addresses of another one. No range contains an unknown one. */
export function isRangeWithin(range: Range | undefined, around: Range): boolean {
  return range !== undefined && around.first <= range.first && range.last <= around.last;
}

/** Returns the range of an address, a network (host bits are ignored) or a range. Undefined for other texts and for reversed ranges. */
export function addressRange(text: string): Range | undefined {
  if (text.includes("/")) return networkRange(text);
  const [low = "", high = low, ...more] = text.split("-").map((part) => part.trim());
  const [first, last] = [addressNumber(low), addressNumber(high)];
  if (first === undefined || last === undefined || more.length > 0 || first > last || isIP(low) !== isIP(high)) return undefined;
  return { first, last };
}

function networkRange(text: string): Range | undefined {
  const [address = "", length = "", ...more] = text.split("/");
  const number = addressNumber(address);
  const width = isIP(address) === 4 ? 32 : 128;
  if (number === undefined || more.length > 0 || !/^\d{1,3}$/.test(length) || Number(length) > width) return undefined;
  const host = (1n << BigInt(width - Number(length))) - 1n;
  return { first: number & ~host, last: number | host };
}
