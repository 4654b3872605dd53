import { formatAddress, parseAddress } from "./addresses.js";
import type { SecurityGroupRule } from "./security-group.js";

/** Protocol numbers by name, as in Neutron. `ip` is the name of 0; `hopopt` is a protocol of its own to Neutron. */
const NUMBERS: Readonly<Record<string, number>> = {
  ah: 51,
  dccp: 33,
  egp: 8,
  esp: 50,
  gre: 47,
  icmp: 1,
  igmp: 2,
  ip: 0,
  ipip: 4,
  "ipv6-encap": 41,
  "ipv6-frag": 44,
  "ipv6-icmp": 58,
  "ipv6-nonxt": 59,
  "ipv6-opts": 60,
  "ipv6-route": 43,
  icmpv6: 58,
  ospf: 89,
  pgm: 113,
  rsvp: 46,
  sctp: 132,
  tcp: 6,
  udp: 17,
  udplite: 136,
  vrrp: 112,
};

/** Names that Neutron accepts, in the order of its error message. */
export const PROTOCOL_NAMES: readonly string[] = [...Object.keys(NUMBERS), "hopopt"].sort();

export const ICMP_NUMBERS: ReadonlySet<string> = new Set(["1", "58"]);
export const PORT_NUMBERS: ReadonlySet<string> = new Set(["6", "17", "33", "132", "136"]);
/** Protocols that Neutron refuses with IPv4. */
export const IPV6_NUMBERS: ReadonlySet<string> = new Set(["41", "43", "44", "58", "59", "60"]);

const TCP_UDP: ReadonlySet<string> = new Set(["6", "17"]);

/** Returns the number of a protocol as text; a name without a number is returned as it is. */
export function protocolKey(protocol: string): string {
  return String(NUMBERS[protocol] ?? protocol);
}

/** Returns the rule with the values that Neutron stores for it. */
export function storedRule(rule: SecurityGroupRule): SecurityGroupRule {
  const protocol = storedProtocol(rule);
  const isAllPorts = rule.port_range_min === 1 && rule.port_range_max === 65_535 && TCP_UDP.has(protocolKey(protocol ?? ""));
  return {
    ...rule,
    protocol,
    ...(isAllPorts ? { port_range_min: null, port_range_max: null } : {}),
    remote_ip_prefix: typeof rule.remote_ip_prefix === "string" ? storedPrefix(rule.remote_ip_prefix) : null,
  };
}

function storedProtocol({ ethertype, protocol }: SecurityGroupRule): string | null {
  if (typeof protocol !== "string") return null;
  if (ethertype !== "IPv6") return protocol;
  if (protocol === "icmp" || protocol === "icmpv6") return "ipv6-icmp";
  return protocol === "1" ? "58" : protocol;
}

/** Keeps host bits, adds a missing length and shortens the address. */
function storedPrefix(text: string): string {
  const [base = "", length] = text.split("/");
  const address = parseAddress(base);
  if (address === undefined) return text;
  return `${formatAddress(address)}/${Number(length ?? (address.version === 4 ? 32 : 128))}`;
}

/** Returns the text that two rules of one group cannot share. Expects stored values. */
export function ruleKey(rule: SecurityGroupRule): string {
  const { remote_ip_prefix: prefix } = rule;
  const isAny = prefix === "0.0.0.0/0" || prefix === "::/0";
  return JSON.stringify([
    rule.direction,
    rule.ethertype,
    typeof rule.protocol === "string" ? protocolKey(rule.protocol) : null,
    rule.port_range_min ?? null,
    rule.port_range_max ?? null,
    isAny ? null : (prefix ?? null),
    rule.remote_group_id ?? null,
    rule.remote_address_group_id ?? null,
  ]);
}
