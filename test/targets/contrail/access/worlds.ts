import type { TreeNode } from "../../../../src/core/tree/node.js";
import type { Packet, RawAddress, RawFabric, RawNetwork, RawPorts, RawRule } from "../policy/brute.js";
import { treeOf } from "../policy/fabric.js";

export type Random = () => number;
const pick = <Item>(random: Random, items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;

const NAMES = ["a", "b", "c"];
const OTHER = "d";
const full = (name: string) => `default-domain:${name === OTHER ? "other" : "demo"}:${name}`;
const SUBNETS: Readonly<Record<string, string>> = { a: "10.1.0.0", b: "10.2.0.0", c: "10.3.0.0", d: "10.4.0.0" };
const POLICIES = ["p", "q", "r"];
const IPAM = ["default-domain", "default-project", "default-network-ipam"];
const EVERY: RawPorts = { start_port: -1, end_port: -1 };
const HOSTS: Readonly<Record<string, readonly string[]>> = {
  a: ["10.1.0.5", "10.1.0.9"],
  b: ["10.2.0.7", "10.2.0.9"],
  c: ["10.3.0.5"],
  d: ["10.4.0.5"],
};

const block = (ip_prefix: string, ip_prefix_len: number): RawAddress => ({ subnet: { ip_prefix, ip_prefix_len } });

/** A side of a rule: usually a network, sometimes with addresses, or addresses alone. */
function side(random: Random): RawAddress {
  const name = pick(random, ["a", "a", "b", "b", "c", OTHER]);
  const host = pick(random, HOSTS[name] ?? []);
  const chance = random();
  if (chance < 0.45) return { virtual_network: full(name) };
  if (chance < 0.55) return { virtual_network: pick(random, ["any", "local"]) };
  if (chance < 0.75) return { virtual_network: full(name), ...block(host, 32) };
  if (chance < 0.85) return { virtual_network: full(name), ...block(SUBNETS[name] ?? "", 24) };
  if (chance < 0.95) return block(host, 32);
  return { network_policy: full(pick(random, POLICIES)) };
}

const port = (random: Random): RawPorts => {
  const chance = random();
  if (chance < 0.25) return EVERY;
  const first = pick(random, [80, 443]);
  return { start_port: first, end_port: chance < 0.4 ? 443 : first };
};

function rule(random: Random): RawRule {
  const two = <Item>(make: () => Item) => (random() < 0.2 ? [make(), make()] : [make()]);
  return {
    direction: random() < 0.5 ? ">" : "<>",
    protocol: pick(random, ["tcp", "tcp", "tcp", "any", "icmp"]),
    src_addresses: two(() => side(random)),
    src_ports: [EVERY],
    dst_addresses: two(() => side(random)),
    dst_ports: two(() => port(random)),
    action_list: { simple_action: random() < 0.75 ? "pass" : "deny" },
  };
}

/** A controller of four networks in two projects, with policies on some of them. */
export function randomFabric(random: Random, most: number): RawFabric {
  const network = (name: string): RawNetwork => {
    const names = POLICIES.filter(() => random() < 0.5);
    const refs = names.map((policy, at) => ({
      to: full(policy).split(":"),
      attr: { sequence: { major: random() < 0.3 ? 1 : 0, minor: at * 2 } },
    }));
    const subnet = { subnet: { ip_prefix: SUBNETS[name], ip_prefix_len: 24 }, default_gateway: SUBNETS[name]?.replace(/0$/, "1") };
    const own = {
      fq_name: full(name).split(":"),
      network_policy_refs: refs,
      network_ipam_refs: [{ to: IPAM, attr: { ipam_subnets: [subnet] } }],
    };
    return random() < 0.1 ? { ...own, route_target_list: { route_target: ["target:1:1"] } } : own;
  };
  return {
    networks: [...NAMES, OTHER].map(network),
    policies: POLICIES.map((name) => {
      const policy_rule = Array.from({ length: Math.floor(random() * (most + 1)) }, () => rule(random));
      return { fq_name: full(name).split(":"), network_policy_entries: { policy_rule } };
    }),
    isWithoutRouters: random() < 0.3,
  };
}

export interface Wanted {
  readonly from: string;
  readonly to: string;
  readonly service: string;
}

export function randomWanted(random: Random): Wanted {
  const [from, to] = [pick(random, ["a", "a", "b", "c", OTHER]), pick(random, ["b", "b", "a", "c", OTHER])];
  const end = (name: string) => {
    const chance = random();
    if (chance < 0.25) return name;
    return chance < 0.9 ? pick(random, HOSTS[name] ?? []) : `${SUBNETS[name]}/24`;
  };
  return { from: end(from), to: end(to), service: pick(random, ["tcp/80", "tcp/80", "tcp/443", "tcp/80,443", "icmp"]) };
}

/** Hosts that no rule names. */
const OTHERS = ["10.1.0.200", "10.2.0.200", "10.3.0.200", "10.4.0.200"];
const EVERY_HOST = [...Object.values(HOSTS).flat(), ...OTHERS, "192.0.2.9"];
const PLACES = ["anywhere", ...[...NAMES, OTHER].map(full)];

/** The packets that the words of a request and of any world distinguish, without those that never pass. */
export function packetsFor(wanted: Wanted): readonly Packet[] {
  const own = [wanted.from, wanted.to].map((end) => (SUBNETS[nameIn(end) ?? ""] ?? "?").replace(/0$/, ""));
  const isShown = (address: string) => !OTHERS.includes(address) || own.some((start) => address.startsWith(start));
  return EVERY_PACKET.filter((packet) => isShown(packet.source) && isShown(packet.destination) && !isImpossible(wanted, packet));
}

const EVERY_PACKET: readonly Packet[] = PLACES.flatMap((from) =>
  PLACES.filter((to) => from !== "anywhere" || to !== "anywhere").flatMap((to) =>
    EVERY_HOST.flatMap((source) =>
      EVERY_HOST.flatMap((destination) =>
        [
          [6, 50_000, 80],
          [6, 50_000, 443],
          [6, 50_000, 22],
          ...[80, 443].flatMap((from) => [22, 80, 443].map((to) => [6, from, to])),
          [17, 50_000, 80],
          [1, 0, 0],
        ].map(([protocol = 0, sourcePort = 0, port = 0]) => ({ from, to, source, destination, protocol, sourcePort, port })),
      ),
    ),
  ),
);

/** Whether a packet belongs to a request. */
export function isWanted({ from, to, service }: Wanted, packet: Packet): boolean {
  const [word, ports] = service.split("/");
  const isService =
    word === "icmp" ? packet.protocol === 1 : packet.protocol === 6 && (ports ?? "").split(",").map(Number).includes(packet.port);
  const isEnd = (end: string, zone: string, address: string) => {
    const name = nameIn(end);
    if (name === undefined || zone !== full(name)) return false;
    if (end === name) return true;
    return end.endsWith("/24") ? address.startsWith((SUBNETS[name] ?? "").replace(/0$/, "")) : address === end;
  };
  return isService && isEnd(from, packet.from, packet.source) && isEnd(to, packet.to, packet.destination);
}

/**
 * Whether a packet of the networks of a request never passes: the controller routes its destination to the other one, or its source belongs
 * to the other one.
 */
function isImpossible({ from, to }: Wanted, packet: Packet): boolean {
  const zones = [from, to].map(fullOf);
  const isOfOther = (zone: string, address: string) =>
    zones.some((each) => each !== zone && address.startsWith((SUBNETS[each.split(":").at(-1) ?? ""] ?? "?").replace(/0$/, "")));
  if (!zones.includes(packet.from)) return false;
  return isOfOther(packet.from, packet.source) || (zones.includes(packet.to) && isOfOther(packet.to, packet.destination));
}

/** The full name of the network of an end. */
export const fullOf = (end: string): string => full(nameIn(end) ?? "");

function nameIn(end: string): string | undefined {
  return Object.keys(SUBNETS).find((each) => end === each || end.startsWith((SUBNETS[each] ?? "").replace(/0$/, "")));
}

/** The options of a question about a world. */
export const optionsOf = ({ isWithoutRouters }: RawFabric) => ({
  configuration: {
    kind: "contrail",
    reading: { equalSequence: "as listed", logicalRouters: isWithoutRouters === true ? "disabled" : "enabled" },
  } as never,
});

export const treeOfWorld = (raw: RawFabric): TreeNode => treeOf(raw);

/** The objects of a tree, without the product. */
export function rawOf(tree: TreeNode, { isWithoutRouters = false }: RawFabric): RawFabric {
  const list = (tag: string) => child(tree, tag)?.children ?? [];
  return {
    networks: list("virtual-networks").map((entry) => {
      const targets = child(child(entry, "route_target_list"), "route_target")?.children.map(({ text }) => text);
      return {
        fq_name: (entry.name ?? "").split(":"),
        network_policy_refs: (child(entry, "network_policy_refs")?.children ?? []).map((row) => {
          const number = (tag: string) => Number(child(child(row, "sequence"), tag)?.text ?? 0);
          return { to: (row.name ?? "").split(":"), attr: { sequence: { major: number("major"), minor: number("minor") } } };
        }),
        ...(targets === undefined ? {} : { route_target_list: { route_target: targets } }),
      };
    }),
    policies: list("network-policys").map((entry) => ({
      fq_name: (entry.name ?? "").split(":"),
      network_policy_entries: {
        policy_rule: (child(child(entry, "network_policy_entries"), "policy_rule")?.children ?? []).map(rawRule),
      },
    })),
    isWithoutRouters,
  };
}

function rawRule(row: TreeNode): RawRule {
  const text = (tag: string, of: TreeNode | undefined = row) => child(of, tag)?.text;
  const addresses = (tag: string) =>
    (child(row, tag)?.children ?? []).map((each): RawAddress => {
      const subnet = child(each, "subnet");
      const [network, policy] = [text("virtual_network", each), text("network_policy", each)];
      return {
        ...(network === undefined ? {} : { virtual_network: network }),
        ...(policy === undefined ? {} : { network_policy: policy }),
        ...(subnet === undefined
          ? {}
          : { subnet: { ip_prefix: text("ip_prefix", subnet) ?? "", ip_prefix_len: Number(text("ip_prefix_len", subnet)) } }),
      };
    });
  const ports = (tag: string) =>
    (child(row, tag)?.children ?? []).map((each) => ({
      start_port: Number(text("start_port", each)),
      end_port: Number(text("end_port", each)),
    }));
  return {
    direction: text("direction") as RawRule["direction"],
    protocol: text("protocol") ?? "any",
    src_addresses: addresses("src_addresses"),
    src_ports: ports("src_ports"),
    dst_addresses: addresses("dst_addresses"),
    dst_ports: ports("dst_ports"),
    action_list: { simple_action: text("simple_action", child(row, "action_list")) as "pass" | "deny" },
  };
}

function child(node: TreeNode | undefined, tag: string): TreeNode | undefined {
  return node?.children.find((each) => each.tag === tag);
}
