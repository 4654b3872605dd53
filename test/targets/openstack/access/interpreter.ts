import { BlockList, isIP } from "node:net";
import type { TreeNode } from "../../../../src/core/tree/node.js";
import { GROUPS, OUTSIDE, type Wanted } from "./worlds.js";

/** One packet between two hosts; `from` and `to` are machines of the project, or undefined. */
export interface Packet {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly source: string;
  readonly destination: string;
  readonly protocol: string;
  readonly port: number;
}

interface Machine {
  readonly groups: ReadonlySet<string>;
  readonly isOpen: boolean;
  readonly addresses: readonly string[];
  /** Address pair, which it may use too. */
  readonly pairs: readonly string[];
}

interface Cloud {
  readonly machines: ReadonlyMap<string, Machine>;
  readonly rules: ReadonlyMap<string, readonly Readonly<Record<string, string>>[]>;
  readonly sets: ReadonlyMap<string, readonly string[]>;
}

const childrenOf = (node: TreeNode | undefined, tag: string): readonly TreeNode[] =>
  node?.children.find((child) => child.tag === tag)?.children ?? [];
const textOf = (node: TreeNode, tag: string): string | undefined => node.children.find((child) => child.tag === tag)?.text;

/** Reads a project as the network service understands it. Shares no code with the product. */
export function readCloud(tree: TreeNode): Cloud {
  const machines = new Map<string, Machine>();
  for (const kind of ["ports", "servers"]) {
    for (const node of childrenOf(tree, kind)) {
      const held = node.children.find(({ tag }) => tag === "security_groups")?.children.map(({ text }) => text);
      const rows = [
        ...childrenOf(node, "fixed_ips").map((row) => textOf(row, "ip_address")),
        ...childrenOf(node, "networks").map((row) => textOf(row, "fixed_ip")),
        ...childrenOf(node, "addresses").flatMap((network) => childrenOf(network, "fixed").map(({ text }) => text)),
      ];
      machines.set(node.name ?? "", {
        groups: new Set(held ?? (textOf(node, "project_id") === undefined ? ["default"] : [])),
        isOpen: textOf(node, "port_security_enabled") === "false",
        addresses: [...new Set(rows.flatMap((each) => each ?? []))],
        pairs: childrenOf(node, "allowed_address_pairs").map((row) => (textOf(row, "ip_address") ?? "").replace(/\/32$/, "")),
      });
    }
  }
  const rules = new Map(
    childrenOf(tree, "security_groups").map((group) => {
      const own = childrenOf(group, "rules").map((row) => Object.fromEntries(row.children.map(({ tag, text }) => [tag, text])));
      const isNew = textOf(group, "project_id") === undefined;
      return [group.name ?? "", isNew ? [{ direction: "egress" }, { direction: "egress", ethertype: "IPv6" }, ...own] : own] as const;
    }),
  );
  const sets = new Map(
    childrenOf(tree, "address_groups").map((set) => [set.name ?? "", childrenOf(set, "addresses").map(({ text }) => text)]),
  );
  return { machines, rules, sets };
}

const PROTOCOLS: Readonly<Record<string, string>> = { "ipv6-icmp": "icmp6" };

/** Whether the groups of both ends let a packet pass. */
export function passes(cloud: Cloud, packet: Packet): boolean {
  const lets = (name: string | undefined, direction: string, peer: string | undefined, address: string) => {
    const machine = name === undefined ? undefined : cloud.machines.get(name);
    if (machine === undefined || machine.isOpen) return true;
    const rules = [...machine.groups].flatMap((group) => cloud.rules.get(group) ?? []);
    return rules.some((rule) => rule.direction === direction && fits(cloud, rule, packet, peer, address));
  };
  return lets(packet.from, "egress", packet.to, packet.destination) && lets(packet.to, "ingress", packet.from, packet.source);
}

function fits(
  { machines, sets }: Cloud,
  rule: Readonly<Record<string, string>>,
  { protocol, port }: Packet,
  peer: string | undefined,
  address: string,
): boolean {
  const family = isIP(address) === 4 ? "IPv4" : "IPv6";
  if ((rule.ethertype ?? "IPv4") !== family) return false;
  if (rule.protocol !== undefined && (PROTOCOLS[rule.protocol] ?? rule.protocol) !== protocol) return false;
  if (rule.port_range_min !== undefined && (port < Number(rule.port_range_min) || port > Number(rule.port_range_max))) return false;
  if (rule.remote_group !== undefined) {
    const other = peer === undefined ? undefined : machines.get(peer);
    return other !== undefined && !other.isOpen && other.groups.has(rule.remote_group);
  }
  const prefixes = rule.remote_address_group !== undefined ? (sets.get(rule.remote_address_group) ?? []) : [rule.remote_ip_prefix];
  return prefixes.some((prefix) => prefix === undefined || isWithin(prefix, address));
}

function isWithin(prefix: string, address: string): boolean {
  const [network = "", length] = prefix.split("/");
  const family = (text: string) => (isIP(text) === 4 ? "ipv4" : "ipv6");
  if (length === undefined) return network === address;
  const block = new BlockList();
  block.addSubnet(network, Number(length), family(network));
  return block.check(address, family(address));
}

const SERVICES = [
  ...[22, 80, 443, 999, 1001, 5432].map((port) => ["tcp", port] as const),
  ...[53, 54].map((port) => ["udp", port] as const),
  ["icmp", 0] as const,
  ["icmp6", 0] as const,
];

/** Every packet that can exist: hosts use their own addresses, and an address pair only as a port with port security. */
export function packetsOf({ machines }: Cloud): readonly Packet[] {
  const hosts = [
    ...[...machines].flatMap(([name, { addresses, pairs }]) => [...addresses, ...pairs].map((address) => ({ name, address }))),
    ...OUTSIDE.map((address) => ({ name: undefined, address })),
  ];
  return hosts.flatMap((one) =>
    hosts.flatMap((other) => {
      if (isIP(one.address) !== isIP(other.address) || one.name === other.name) return [];
      const own = isIP(one.address) === 4 ? "icmp6" : "icmp";
      return SERVICES.filter(([protocol]) => protocol !== own).map(([protocol, port]) => ({
        from: one.name,
        to: other.name,
        source: one.address,
        destination: other.address,
        protocol,
        port,
      }));
    }),
  );
}

/** Whether a packet belongs to a request. */
export function isWanted({ machines }: Cloud, { from, to, service }: Wanted, packet: Packet): boolean {
  const isEnd = (word: string, name: string | undefined, address: string): boolean => {
    const own = machines.get(word);
    if (own !== undefined) return name === word && own.addresses.includes(address);
    if ((GROUPS as readonly string[]).includes(word))
      return name !== undefined && machines.get(name)?.groups.has(word) === true && machines.get(name)?.isOpen !== true;
    return isWithin(word, address) && (name === undefined || machines.get(name)?.addresses.includes(address) === true);
  };
  const [protocol, ports] = service.split("/");
  const isServed =
    packet.protocol === protocol &&
    (ports === undefined ||
      ports.split(",").some((range) => {
        const [first, last = first] = range.split("-").map(Number);
        return packet.port >= (first ?? 0) && packet.port <= (last ?? 0);
      }));
  return isServed && isEnd(from, packet.from, packet.source) && isEnd(to, packet.to, packet.destination);
}
