import { BlockList, isIP } from "node:net";
import { remembered } from "../../../remembered.js";
import type { RawProject, RawRule } from "./project.js";

/** The first packet of a session; `from` and `to` are ports, or undefined for an endpoint outside the project. */
export interface Packet {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly source: string;
  readonly destination: string;
  readonly protocol: "tcp" | "udp" | "icmp";
  readonly port: number;
}

/** Whether the groups allow it, computed from the text of their rules without the product. */
export function passes(project: RawProject, packet: Packet): boolean {
  const { from, to, source, destination } = packet;
  const lets = (port: string | undefined, direction: RawRule["direction"], peer: string | undefined, address: string): boolean => {
    if (port === undefined) return true;
    const { groups = [], open } = project.ports[port] ?? {};
    if (open === true) return true;
    const rules = groups.flatMap((group) => project.groups[group] ?? []);
    return rules.some((rule) => rule.direction === direction && fits(rule, packet, peer, address, project));
  };
  return lets(from, "egress", to, destination) && lets(to, "ingress", from, source);
}

function fits(rule: RawRule, { protocol, port }: Packet, peer: string | undefined, address: string, { ports }: RawProject): boolean {
  if ((rule.ethertype ?? "IPv4") !== (isIP(address) === 4 ? "IPv4" : "IPv6")) return false;
  if (rule.protocol !== undefined && rule.protocol !== "any" && rule.protocol !== protocol) return false;
  if (rule.port_range_min !== undefined && (port < rule.port_range_min || port > (rule.port_range_max ?? rule.port_range_min)))
    return false;
  if (rule.remote_group !== undefined)
    return peer !== undefined && (ports[peer]?.groups ?? []).includes(rule.remote_group) && ports[peer]?.open !== true;
  if (rule.remote_ip_prefix === undefined) return true;
  return isWithin(rule.remote_ip_prefix, address);
}

const familyOf = (text: string) => (isIP(text) === 4 ? "ipv4" : "ipv6");

const blockOf = remembered((prefix: string): BlockList => {
  const [network = "", length = ""] = prefix.split("/");
  const held = new BlockList();
  held.addSubnet(network, Number(length), familyOf(network));
  return held;
});

const isWithin = remembered((prefix: string, address: string) => blockOf(prefix).check(address, familyOf(address)));
