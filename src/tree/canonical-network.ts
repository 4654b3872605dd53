import { isIPv4, isIPv6, SocketAddress } from "node:net";

/**
 * A network as ADDRESS/LENGTH in its one spelling: bits of a host cleared, IPv6 at its shortest. Undefined for what is no
 * network.
 */
export function canonicalNetwork(text: string): string | undefined {
  const [address = "", length = "", ...more] = text.split("/");
  const width = isIPv4(address) ? 32 : isIPv6(address) && !address.includes("%") ? 128 : 0;
  if (width === 0 || more.length > 0 || !/^[0-9]{1,3}$/.test(length) || Number(length) > width) return undefined;
  const host = BigInt(width - Number(length));
  const value = (bitsOf(address, width) >> host) << host;
  return `${width === 32 ? ipv4Of(value) : ipv6Of(value)}/${Number(length)}`;
}

function bitsOf(address: string, width: number): bigint {
  if (width === 32) return address.split(".").reduce((value, part) => (value << 8n) | BigInt(part), 0n);
  const [left = [], right = []] = hextets(address);
  const zeros = new Array<string>(8 - left.length - right.length).fill("0");
  return [...left, ...zeros, ...right].reduce((value, part) => (value << 16n) | BigInt(`0x${part}`), 0n);
}

/** What stands before and behind `::`; a last part in dots becomes two. */
function hextets(address: string): string[][] {
  const plain = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, a, b, c, d) =>
    [Number(a) * 256 + Number(b), Number(c) * 256 + Number(d)].map((part) => part.toString(16)).join(":"),
  );
  return plain.split("::").map((side) => (side === "" ? [] : side.split(":")));
}

function ipv4Of(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join(".");
}

function ipv6Of(value: bigint): string {
  const digits = value.toString(16).padStart(32, "0");
  const address = (digits.match(/.{4}/g) ?? []).join(":");
  return new SocketAddress({ address, family: "ipv6" }).address;
}
