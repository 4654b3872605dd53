import { isIPv4, isIPv6, SocketAddress } from "node:net";
import type { Shape } from "./shape.js";
import { isBlank } from "./xml/scanner.js";

/**
 * A leaf's or member's text in the one spelling that all equal texts share: white space that holds a line break is
 * nothing, `caseless` is lower case, `cidr` is the shortest spelling of an address, a host's full prefix length left out.
 */
export function canonicalScalar(text: string, equality: Shape["equality"]): string {
  if (text.includes("\n") && isBlank(text)) return "";
  if (equality === "caseless") return text.toLowerCase();
  return equality === "cidr" ? canonicalCidr(text) : text;
}

/** Host bits are kept: `10.0.0.5/24` is an interface's address, not its network. Other texts come back as they are. */
function canonicalCidr(text: string): string {
  const [address = "", prefix, ...more] = text.split("/");
  const family = isIPv4(address) ? "ipv4" : isIPv6(address) ? "ipv6" : undefined;
  if (family === undefined || more.length > 0 || (prefix !== undefined && !/^[0-9]{1,3}$/.test(prefix))) return text;
  const short = family === "ipv6" ? new SocketAddress({ address, family }).address : address;
  const full = family === "ipv4" ? 32 : 128;
  const length = prefix === undefined ? full : Number(prefix);
  return length === full ? short : `${short}/${length}`;
}
