import { isIP } from "node:net";

/**
 * Returns an address as 32 hexadecimal digits, with IPv4 in the last eight. The order of these texts is the order of the addresses.
 * Returns undefined if the text is not an address.
 */
export function digitsOf(address: string): string | undefined {
  if (isIP(address) === 4) return dotted(address).padStart(32, "0");
  if (isIP(address) !== 6) return undefined;
  const last = /[^:]*\.[^:]*$/.exec(address)?.[0];
  const plain = last === undefined ? address : address.slice(0, -last.length) + dotted(last).replace(/^(.{4})/, "$1:");
  const [head = "", tail] = plain.split("::");
  const groups = (text: string) => text.split(":").filter((group) => group !== "");
  const [before, after] = [groups(head), groups(tail ?? "")];
  const missing = tail === undefined ? 0 : 8 - before.length - after.length;
  return [...before, ...Array<string>(missing).fill("0"), ...after].map((group) => group.padStart(4, "0").toLowerCase()).join("");
}

/**
 * Whether an address, network or range contains an address. Any other text contains no address. IPv4 addresses are treated as part of
 * `::/96`.
 */
export function covers(text: string, address: string): boolean {
  const wanted = digitsOf(address);
  if (wanted === undefined) return false;
  const [low = "", high] = text.split("-").map((part) => part.trim());
  if (high !== undefined) {
    const [first, last] = [digitsOf(low), digitsOf(high)];
    return first !== undefined && last !== undefined && isIP(low) === isIP(high) && first <= wanted && wanted <= last;
  }
  const [base = "", length] = low.split("/");
  const start = digitsOf(base);
  if (start === undefined) return false;
  const host = (isIP(base) === 4 ? 32 : 128) - Number(length ?? (isIP(base) === 4 ? 32 : 128));
  return host >= 0 && beginAlike(start, wanted, 128 - host);
}

function beginAlike(one: string, other: string, length: number): boolean {
  const fullBytes = length >> 2;
  if (one.slice(0, fullBytes) !== other.slice(0, fullBytes)) return false;
  const digit = (text: string) => Number.parseInt(text[fullBytes] ?? "0", 16) >> (4 - (length & 3));
  return (length & 3) === 0 || digit(one) === digit(other);
}

/**
 * Compares an address with a wildcard such as `10.20.1.0/0.0.248.255`, in which one bits are ignored. `prefix` is the number of bits
 * before the first ignored bit, or -1 if the address has another prefix. Returns undefined if the text is not a wildcard.
 */
export function meetsWildcard(text: string, address: string): { readonly matches: boolean; readonly prefix: number } | undefined {
  const [base = "", mask = ""] = text.trim().split("/");
  if (isIP(base) !== 4 || isIP(mask) !== 4) return undefined;
  const [one, other, free] = [bits(dotted(base)), bits(digitsOf(address) ?? "").slice(-32), bits(dotted(mask))];
  const prefix = free.includes("1") ? free.indexOf("1") : 32;
  if (isIP(address) !== 4 || one.slice(0, prefix) !== other.slice(0, prefix)) return { matches: false, prefix: -1 };
  return { matches: [...free].every((bit, at) => bit === "1" || one[at] === other[at]), prefix };
}

function dotted(address: string): string {
  return address
    .split(".")
    .map((part) => Number(part).toString(16).padStart(2, "0"))
    .join("");
}

function bits(digits: string): string {
  return [...digits].map((digit) => Number.parseInt(digit, 16).toString(2).padStart(4, "0")).join("");
}
