import { formatAddress, parseAddress } from "./addresses.js";
import type { SecurityGroupRule } from "./security-group.js";

/** Protocol numbers by name, in the order of Neutron's error message. */
const NUMBERS: Readonly<Record<string, number>> = {
  ah: 51,
  dccp: 33,
  egp: 8,
  esp: 50,
  gre: 47,
  hopopt: 0,
  icmp: 1,
  igmp: 2,
  ip: 0,
  ipip: 4,
  "ipv6-encap": 41,
  "ipv6-frag": 44,
  "ipv6-icmp": 58,
  icmpv6: 58,
  "ipv6-nonxt": 59,
  "ipv6-opts": 60,
  "ipv6-route": 43,
  ospf: 89,
  pgm: 113,
  rsvp: 46,
  sctp: 132,
  tcp: 6,
  udp: 17,
  udplite: 136,
  vrrp: 112,
};

export const PROTOCOL_NAMES: readonly string[] = Object.keys(NUMBERS);

export const ICMP_NUMBERS: ReadonlySet<string> = new Set(["1", "58"]);
export const PORT_NUMBERS: ReadonlySet<string> = new Set(["6", "17", "33", "132", "136"]);
/** Protocols that Neutron refuses with IPv4. */
export const IPV6_NUMBERS: ReadonlySet<string> = new Set(["41", "43", "44", "58", "59", "60"]);

/** Returns the number of a protocol, which is given by name or number. */
export function protocolNumber(protocol: string): string {
  return String(NUMBERS[protocol] ?? protocol);
}

/** Returns the text by which Neutron compares protocols. To Neutron, 0 is `ip` and not `hopopt`. */
function protocolKey(protocol: string): string {
  return protocol === "hopopt" ? protocol : protocolNumber(protocol);
}

/** Returns the rule with the values that Neutron stores for it. */
export function storedRule(rule: SecurityGroupRule): SecurityGroupRule {
  const isAllPorts = rule.port_range_min === 1 && rule.port_range_max === 65_535;
  const { remote_ip_prefix: prefix } = rule;
  return {
    ...rule,
    protocol: storedProtocol(rule),
    ...(isAllPorts ? { port_range_min: null, port_range_max: null } : {}),
    remote_ip_prefix: typeof prefix === "string" && prefix !== "" ? storedPrefix(prefix) : null,
  };
}

function storedProtocol({ ethertype, protocol }: SecurityGroupRule): string | null {
  if (typeof protocol !== "string") return null;
  if (ethertype !== "IPv6") return protocol;
  if (protocol === "icmp" || protocol === "icmpv6") return "ipv6-icmp";
  return protocol === "1" ? "58" : protocol;
}

/** Keeps host bits, adds missing octets and a missing length, and shortens the address. */
function storedPrefix(text: string): string {
  const [base = "", length] = text.split("/");
  const octets = /^[\d.]+$/.test(base) ? base.split(".") : [];
  const missing = octets.length === 0 ? 0 : Math.max(0, 4 - octets.length);
  const address = parseAddress(base + ".0".repeat(missing));
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
