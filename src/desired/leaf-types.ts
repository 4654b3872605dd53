import { isIP, isIPv4 } from "node:net";
import { canonicalNetwork } from "../core/tree/canonical-network.js";
import { isHostWithLength, isNetworkOrAddress, isRange } from "./address-forms.js";

type Check = (text: string) => string | undefined;

const expected =
  (isRight: (text: string) => boolean, words: string): Check =>
  (text) =>
    isRight(text) ? undefined : words;

/** Space for a name in a tag of the cloud's network service, after the prefix that marks it. */
const SHORT_NAME = 46;

const CHECKS: ReadonlyMap<string, Check> = new Map([
  ["boolean", expected((text) => text === "true" || text === "false", "true or false")],
  [
    "only-true",
    expected((text) => text === "true", "true; to turn it off, declare the port under ports: with port_security_enabled: false"),
  ],
  ["not-null", expected((text) => text !== "null", "a name; omit the line for no name")],
  ["integer", expected((text) => /^-?(0|[1-9][0-9]*)$/.test(text), "an integer")],
  ["port", expected((text) => isWithin(text, 0, 65_535), "a port number from 0 to 65535")],
  ["address", expected((text) => isIP(text) !== 0, "an IP address")],
  ["address-or-null", expected((text) => text === "null" || isIP(text) !== 0, "an IP address, or null")],
  ["cidr", expected(isCidr, "a network as ADDRESS/LENGTH")],
  [
    "network",
    expected((text) => canonicalNetwork(text) === text, "a network as ADDRESS/LENGTH in its shortest spelling, without bits of a host"),
  ],
  ["address-or-network", expected(isNetworkOrAddress, "an IP address, or a network as ADDRESS/LENGTH")],
  ["address-range", expected(isRange, "two IP addresses as FIRST-LAST")],
  ["wildcard", expected(isWildcard, "an IPv4 address and a mask as ADDRESS/MASK")],
  [
    "host-address",
    expected(
      (text) => isHostWithLength(text) || isObjectName(text),
      "an address of its own with the length of its network, as in 192.0.2.1/24, and not the network itself",
    ),
  ],
  [
    "match-address",
    expected(
      (text) => isObjectName(text) || isNetworkOrAddress(text) || isRange(text),
      "an address, a network, a range or the name of an object",
    ),
  ],
  [
    "host-name",
    expected(
      (text) => text.length <= 255 && /^[0-9a-z_*-]([0-9a-z_-]*[0-9a-z_])?(\.[0-9a-z_-]+)*\.?$/i.test(text) && isIP(text) === 0,
      "a host name",
    ),
  ],
  ["vlan", expected((text) => isWithin(text, 1, 4094), "the number of a VLAN from 1 to 4094")],
  ["ports", expected((text) => text.split(",").every(isPortOrRange), "a list of ports, such as 80, 8000-8099 or 80,443")],
  ["fq-name", expected((text) => /^[^:]+(:[^:]+){2}$/.test(text), "a name as DOMAIN:PROJECT:NAME")],
  ["pool-name", expected((text) => /^[^:]+(:[^:]+){3}$/.test(text), "a name as DOMAIN:PROJECT:NETWORK:NAME")],
  ["pooled-name", expected((text) => /^[^:]+(:[^:]+){4}$/.test(text), "a name as DOMAIN:PROJECT:NETWORK:POOL:NAME")],
  ["route-target", expected((text) => /^target:[^:]+:[0-9]+$/.test(text), "a route target as target:ASN:NUMBER")],
  ["uuid", expected((text) => /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i.test(text), "a UUID")],
  ["short-name", expected((text) => [...text].length <= SHORT_NAME, `a name of at most ${SHORT_NAME} characters`)],
  [
    "metadata-key",
    expected(
      (text) => /^[0-9A-Za-z_:. -]{1,255}$/.test(text) && text !== "entry" && text !== "member",
      "a metadata key: 1 to 255 letters, digits, spaces and the characters - _ : . (but not entry or member)",
    ),
  ],
  ["object-name", expected((text) => /^[\w.-][\w .-]*$/.test(text), "a name of letters, digits, spaces and the marks . _ -")],
  ["tag-name", expected((text) => !/['[\]\u0000-\u001f]/.test(text), "a name without quotes and brackets")],
  ["time-zone", expected(isTimeZone, "a time zone such as Europe/Zurich")],
  ["mac", expected((text) => /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/i.test(text), "a MAC address")],
]);

/** Returns a description of `type` if `text` does not match it. Returns undefined if it matches, or for free text. */
export function checkText(type: string, text: string): string | undefined {
  return CHECKS.get(type)?.(text) ?? (type.includes("|") ? oneOf(type.split("|"), text) : undefined);
}

/** A type such as `ingress|egress` lists the valid words. */
function oneOf(words: readonly string[], text: string): string | undefined {
  return words.includes(text) ? undefined : `one of ${words.join(", ")}`;
}

/** Names of objects never look like an incomplete or invalid address, such as `10.0.0.0/33` or `null`. */
function isObjectName(text: string): boolean {
  return (
    /^[0-9A-Za-z_$][ 0-9A-Za-z._-]{0,126}$/.test(text) &&
    !/^[0-9.]*$/.test(text) &&
    !/^(?:null|none|undefined)$/i.test(text) &&
    text === text.trim()
  );
}

function isWildcard(text: string): boolean {
  const [address = "", mask = "", ...more] = text.split("/");
  return more.length === 0 && isIPv4(address) && isIPv4(mask);
}

/** `Intl` accepts names of zones in any case, but platforms do not. */
function isTimeZone(text: string): boolean {
  if (!/^[A-Z]/.test(text) || /^(?!Etc)[^/]+\/[^a-z]*$/.test(text)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: text }) !== undefined;
  } catch {
    return false;
  }
}

function isPortOrRange(text: string): boolean {
  const [first = "", last = first, ...more] = text.split("-");
  return more.length === 0 && isWithin(first, 0, 65_535) && isWithin(last, 0, 65_535) && Number(first) <= Number(last);
}

function isWithin(text: string, least: number, most: number): boolean {
  return /^[0-9]{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most;
}

function isCidr(text: string): boolean {
  const [address = "", length = "", ...more] = text.split("/");
  return more.length === 0 && isIP(address) !== 0 && isWithin(length, 0, isIPv4(address) ? 32 : 128);
}
