import { isIP, isIPv4 } from "node:net";
import { canonicalNetwork } from "../core/tree/canonical-network.js";

/** Returns whether the text is an IP address, or a network as ADDRESS/LENGTH. */
export function isNetworkOrAddress(text: string): boolean {
  const slash = text.indexOf("/");
  if (slash === -1) return isIP(text) !== 0;
  const address = text.slice(0, slash);
  const length = text.slice(slash + 1);
  // Accepts the same texts as `canonicalNetwork`, without computing the result: a policy has a million of them.
  const width = isIPv4(address) ? 32 : isIP(address) === 6 && !address.includes("%") ? 128 : -1;
  return /^[0-9]{1,3}$/.test(length) && Number(length) <= width;
}

/** Returns whether the text is two addresses of one family, as FIRST-LAST. */
export function isRange(text: string): boolean {
  const [first = "", last = "", ...more] = text.split("-");
  return more.length === 0 && isIP(first) !== 0 && isIP(first) === isIP(last);
}

/**
 * Returns whether the text is a host address with the length of its network, as for an interface. The first address of a network is not a
 * host, except in networks with one or two addresses.
 */
export function isHostWithLength(text: string): boolean {
  const network = canonicalNetwork(text);
  if (network === undefined) return false;
  const [address = "", length = ""] = text.split("/");
  const width = isIPv4(address) ? 32 : 128;
  return Number(length) >= width - 1 || network !== canonicalNetwork(`${address}/${width}`)?.replace(/\/[0-9]+$/, `/${Number(length)}`);
}
