import { isIPv4, isIPv6 } from "node:net";

/** An address as a number, with its IP version. */
export interface Address {
  readonly version: 4 | 6;
  readonly value: bigint;
}

/** A block of addresses. `first` has no host bits. */
export interface Block extends Range {
  readonly version: 4 | 6;
  readonly prefixLength: number;
}

export interface Range {
  readonly first: bigint;
  readonly last: bigint;
}

export function parseAddress(text: string): Address | undefined {
  if (isIPv4(text)) return { version: 4, value: text.split(".").reduce((sum, part) => (sum << 8n) | BigInt(part), 0n) };
  if (!isIPv6(text) || text.includes("%")) return undefined;
  const [head = "", tail] = withoutDottedEnd(text).split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const groups = [...left, ...Array<string>(8 - left.length - right.length).fill("0"), ...right];
  return { version: 6, value: groups.reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n) };
}

function withoutDottedEnd(text: string): string {
  const end = /[^:]*\.[^:]*$/.exec(text)?.[0];
  if (end === undefined) return text;
  const value = parseAddress(end)?.value ?? 0n;
  return `${text.slice(0, -end.length)}${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`;
}

export function formatAddress({ version, value }: Address): string {
  if (version === 4) return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 0xffn)).join(".");
  const groups = Array.from({ length: 8 }, (_, index) => ((value >> BigInt(112 - 16 * index)) & 0xffffn).toString(16));
  // The host of a URL is always in canonical form.
  return new URL(`http://[${groups.join(":")}]`).hostname.slice(1, -1);
}

/** Parses a CIDR and drops host bits. Returns undefined if the text is invalid. */
export function parseBlock(text: string): Block | undefined {
  const [base = "", length, ...rest] = text.split("/");
  const address = parseAddress(base);
  const bits = address?.version === 4 ? 32 : 128;
  const prefixLength = length === undefined ? bits : Number(length);
  if (address === undefined || rest.length > 0 || length === "" || !/^\d+$/.test(length ?? "0") || prefixLength > bits) return undefined;
  const hostBits = BigInt(bits - prefixLength);
  const first = (address.value >> hostBits) << hostBits;
  return { version: address.version, prefixLength, first, last: first + (1n << hostBits) - 1n };
}

export function formatBlock({ version, first, prefixLength }: Block): string {
  return `${formatAddress({ version, value: first })}/${prefixLength}`;
}

export function overlap(a: Range, b: Range): boolean {
  return a.first <= b.last && b.first <= a.last;
}

/**
 * Returns the addresses for hosts: an IPv4 network without its network and broadcast addresses, an IPv6 network without its first address.
 */
export function usable({ version, prefixLength, first, last }: Block): Range {
  if (version === 6) return prefixLength >= 127 ? { first, last } : { first: first + 1n, last };
  return prefixLength >= 31 ? { first, last } : { first: first + 1n, last: last - 1n };
}

/** Returns a range without one address. */
export function without({ first, last }: Range, value: bigint | undefined): Range[] {
  if (value === undefined || value < first || value > last) return [{ first, last }];
  return [
    { first, last: value - 1n },
    { first: value + 1n, last },
  ].filter((range) => range.first <= range.last);
}

/** Returns whether a block contains an address, both as text. */
export function within(cidr: string, text: string): boolean {
  const block = parseBlock(cidr);
  const address = parseAddress(text);
  return block !== undefined && block.version === address?.version && block.first <= address.value && address.value <= block.last;
}
