import { isIPv4, isIPv6, SocketAddress } from "node:net";
import type { Shape } from "./shape.js";
import { isBlank } from "./xml/scanner.js";

/**
 * Returns the canonical spelling of the text of a leaf or member. White space with a line break is empty. `caseless` gives lower case.
 * `cidr` gives the shortest spelling of an address, without the full prefix length of a host.
 */
export function canonicalScalar(text: string, equality: Shape["equality"]): string {
  if (text.includes("\n") && isBlank(text)) return "";
  if (equality === "caseless") return text.toLowerCase();
  return equality === "cidr" ? canonicalCidr(text) : text;
}

/** Keeps host bits: `10.0.0.5/24` is the address of an interface, not its network. Other texts are returned unchanged. */
function canonicalCidr(text: string): string {
  const [address = "", prefix, ...more] = text.split("/");
  const family = isIPv4(address) ? "ipv4" : isIPv6(address) ? "ipv6" : undefined;
  if (family === undefined || more.length > 0 || (prefix !== undefined && !/^[0-9]{1,3}$/.test(prefix))) return text;
  const short = family === "ipv6" ? new SocketAddress({ address, family }).address : address;
  const full = family === "ipv4" ? 32 : 128;
  const length = prefix === undefined ? full : Number(prefix);
  return length === full ? short : `${short}/${length}`;
}
