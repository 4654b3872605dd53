import type { Draw } from "../differential/draw.js";
import { address6, count, type Fields, Ref, Spelled } from "./values.js";

const PROTOCOLS: readonly (readonly [canonical: string, ...spellings: unknown[]])[] = [
  ["tcp", "tcp", "TCP", 6, "6"],
  ["udp", "udp", "UDP", 17, "17"],
  ["sctp", "sctp", 132],
];
const ICMP = { IPv4: ["icmp", "ICMP", 1, "1"], IPv6: ["ipv6-icmp", "icmpv6", "icmp", 58, "1"] };
const PORTS = [[443, 443], [1, 1024], [8000, 8080], undefined] as const;

/** Returns up to five rules that Neutron stores as different rules. */
export function drawRules(draw: Draw, groups: readonly string[], addressGroups: readonly string[]): Fields[] {
  const rules = new Map<string, Fields>();
  for (let left = draw.below(6); left > 0; left--) {
    const [key, rule] = drawRule(draw, groups, addressGroups);
    rules.set(key, rule);
  }
  return [...rules.values()];
}

function drawRule(draw: Draw, groups: readonly string[], addressGroups: readonly string[]): readonly [key: string, rule: Fields] {
  const ethertype = draw.of(["IPv4", "IPv6"] as const);
  const direction = draw.of(["ingress", "ingress", "egress"]);
  const [service, serviceFields] = drawService(draw, ethertype);
  const [remote, remoteFields] = drawRemote(draw, ethertype, groups, addressGroups);
  const common = { direction, ethertype: new Spelled(ethertype === "IPv4" ? [ethertype, undefined] : [ethertype]) };
  const described = draw.chance(20) ? { description: draw.of(["for: the #1 team", "x"]) } : {};
  return [[direction, ethertype, service, remote].join(" "), { ...common, ...serviceFields, ...remoteFields, ...described }];
}

function drawService(draw: Draw, ethertype: "IPv4" | "IPv6"): readonly [string, Fields] {
  if (draw.chance(20)) return ["any", { protocol: new Spelled([undefined, "any"]) }];
  if (draw.chance(25)) return ["icmp", { protocol: new Spelled(ICMP[ethertype]) }];
  if (draw.chance(10)) return ["gre", { protocol: new Spelled(["gre", "47", 47]) }];
  const [name, ...spellings] = draw.of(PROTOCOLS);
  const ports = draw.of(PORTS);
  const protocol = new Spelled(spellings);
  if (ports !== undefined) return [`${name} ${ports[0]}`, { protocol, port_range_min: count(ports[0]), port_range_max: count(ports[1]) }];
  const all = draw.chance(50) && name !== "sctp" ? { port_range_min: count(1), port_range_max: count(65535) } : {};
  return [name, { protocol, ...all }];
}

function drawRemote(
  draw: Draw,
  ethertype: "IPv4" | "IPv6",
  groups: readonly string[],
  addressGroups: readonly string[],
): readonly [string, Fields] {
  const is4 = ethertype === "IPv4";
  const kind = draw.below(6);
  if (kind === 0) return ["", { remote_ip_prefix: new Spelled(is4 ? ["0.0.0.0/0", undefined] : ["::/0", "0:0:0:0:0:0:0:0/0", undefined]) }];
  if (kind === 1) return ["", {}];
  if (kind === 2) {
    const group = draw.of(groups);
    return [group, { remote_group: new Ref("security_groups", group, "row") }];
  }
  if (kind === 3 && addressGroups.length > 0 && is4) {
    const group = draw.of(addressGroups);
    return [group, { remote_address_group: group }];
  }
  if (kind === 4) return ["host", { remote_ip_prefix: is4 ? "198.51.100.7/32" : address6("fd00:abc::7/128") }];
  return ["net", { remote_ip_prefix: is4 ? "198.51.100.0/24" : address6("fd00:abc::/64") }];
}
