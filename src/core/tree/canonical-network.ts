import { isIPv4, isIPv6, SocketAddress } from "node:net";

/** Returns a network as ADDRESS/LENGTH, with its host bits cleared and an IPv6 address as RFC 5952 writes it. Undefined for other texts. */
export function canonicalNetwork(text: string): string | undefined {
  const [address = "", length = "", ...more] = text.split("/");
  const width = isIPv4(address) ? 32 : isIPv6(address) && !address.includes("%") ? 128 : 0;
  if (width === 0 || more.length > 0 || !/^[0-9]{1,3}$/.test(length) || Number(length) > width) return undefined;
  return `${width === 32 ? ipv4Network(address, Number(length)) : ipv6Network(address, Number(length))}/${Number(length)}`;
}

function ipv4Network(address: string, length: number): string {
  const size = 2 ** (32 - length);
  const value = address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
  const first = value - (value % size);
  return [24, 16, 8, 0].map((shift) => Math.floor(first / 2 ** shift) % 256).join(".");
}

function ipv6Network(address: string, length: number): string {
  const [left = [], right = []] = hextets(address);
  const zeros = new Array<string>(8 - left.length - right.length).fill("0");
  const value = [...left, ...zeros, ...right].reduce((sum, part) => (sum << 16n) | BigInt(`0x${part}`), 0n);
  const host = BigInt(128 - length);
  return ipv6Text((value >> host) << host);
}

/** Returns an IPv6 address, 0 to 2^128-1, as RFC 5952 writes it. */
export function ipv6Text(value: bigint): string {
  const digits = value.toString(16).padStart(32, "0");
  return new SocketAddress({ address: (digits.match(/.{4}/g) ?? []).join(":"), family: "ipv6" }).address;
}

/** Returns the parts before and after the `::` of an IPv6 address. A last part in dotted form becomes two parts. */
export function hextets(address: string): string[][] {
  const plain = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, a, b, c, d) =>
    [Number(a) * 256 + Number(b), Number(c) * 256 + Number(d)].map((part) => part.toString(16)).join(":"),
  );
  return plain.split("::").map((side) => (side === "" ? [] : side.split(":")));
}
