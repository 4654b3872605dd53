import { addressRange } from "../../../core/address-range.js";
import { childByTag } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { Path } from "../../../core/tree/path.js";
import type { AddressRange, Named } from "../../../reachability/flows/policy.js";
import { parentOf, ROOT_PATH } from "../collections.js";
import { isSystemObject } from "../system-objects.js";
import type { ControllerReading } from "./reading.js";

/** Networks of a controller, their policies and the other connections between them. */
export interface Fabric {
  /** True if the controller runs with logical routers. */
  readonly hasLogicalRouters: boolean;
  /** By `domain:project:name`, without the networks that the controller itself needs. */
  readonly networks: ReadonlyMap<string, Network>;
  /** Rules of each policy in order. */
  readonly policies: ReadonlyMap<string, readonly PolicyRule[]>;
  readonly routers: readonly Router[];
}

export interface Network {
  readonly name: string;
  readonly project: string;
  /** Sorted by sequence. */
  readonly attached: readonly Attached[];
  readonly imports: ReadonlySet<string>;
  readonly exports: ReadonlySet<string>;
  readonly hasFabricSnat: boolean;
  readonly isExternal: boolean;
  readonly isProvider: boolean;
}

interface Attached {
  readonly policy: string;
  readonly isTimed: boolean;
  readonly sequence: string;
}

export interface Router {
  readonly name: string;
  readonly project: string;
  /** Networks that the router itself names. */
  readonly networks: readonly string[];
  /** True if it has interfaces. Their networks are unknown. */
  readonly hasInterfaces: boolean;
}

/** One side of a rule as written. */
export interface Side {
  /** `any`, `local`, or `domain:project:name`. */
  readonly network: string | undefined;
  readonly policy: string | undefined;
  readonly group: string | undefined;
  /** If addresses are given, the network is ignored. */
  readonly addresses: readonly Named<AddressRange>[];
}

/** Inclusive range. -1 to -1 means any. */
export interface Ports {
  readonly first: number;
  readonly last: number;
}

export interface PolicyRule {
  /** For example `tcp/443 web <> db`. Unique in its policy. */
  readonly text: string;
  readonly path: Path;
  readonly isMirrored: boolean;
  /** A number or `any`. Undefined for an unknown protocol name. */
  readonly protocol: string | undefined;
  readonly protocolWord: string;
  readonly sources: readonly Side[];
  readonly destinations: readonly Side[];
  readonly sourcePorts: readonly Ports[];
  readonly destinationPorts: readonly Ports[];
  /** Undefined: the rule has no simple action. */
  readonly action: "allow" | "deny" | undefined;
  /** Without actions, the controller ignores the rule. */
  readonly hasActions: boolean;
  /** Services that the rule sends traffic to. */
  readonly services: readonly string[];
}

export const ANY_PORT = -1;
const NUMBERS: ReadonlyMap<string, string> = new Map([
  ["any", "any"],
  ["icmp", "1"],
  ["tcp", "6"],
  ["udp", "17"],
  ["gre", "47"],
  ["esp", "50"],
  ["ah", "51"],
  ["icmp6", "58"],
  ["icmpv6", "58"],
  ["ipv6-icmp", "58"],
  ["sctp", "132"],
]);

export function fabricIn(root: TreeNode, { equalSequence, logicalRouters }: ControllerReading): Fabric {
  const networks = entries(root, "virtual-networks")
    .filter(({ name }) => !isSystemObject(name ?? ""))
    .map((entry) => networkOf(entry, equalSequence === "by name"));
  return {
    hasLogicalRouters: logicalRouters === "enabled",
    networks: new Map(networks.map((network) => [network.name, network])),
    policies: new Map(entries(root, "network-policys").map((entry) => [entry.name ?? "", rulesOf(entry)])),
    routers: entries(root, "logical-routers").map((entry) => ({
      name: entry.name ?? "",
      project: parentOf(entry.name ?? ""),
      networks: entries(entry, "virtual_network_refs").map(({ name }) => name ?? ""),
      hasInterfaces: entries(entry, "virtual_machine_interface_refs").length > 0,
    })),
  };
}

function networkOf(entry: TreeNode, isByName: boolean): Network {
  const name = entry.name ?? "";
  const targets = (...lists: readonly string[]) =>
    new Set(lists.flatMap((list) => entries(childByTag(entry, list), "route_target").map(({ text }) => text)));
  const is = (tag: string) => leaf(entry, tag) === "true";
  return {
    name,
    project: parentOf(name),
    attached: attachedTo(entry, isByName),
    imports: targets("route_target_list", "import_route_target_list"),
    exports: targets("route_target_list", "export_route_target_list"),
    hasFabricSnat: is("fabric_snat"),
    isExternal: is("router_external"),
    isProvider: is("is_provider_network"),
  };
}

/**
 * Sorts policies by sequence. Policies with the same sequence are sorted by name or kept in list order, because the order of the controller
 * is unknown.
 */
function attachedTo(entry: TreeNode, isByName: boolean): Attached[] {
  const rows = entries(entry, "network_policy_refs").map((row) => {
    const [major, minor] = ["major", "minor"].map((tag) => Number(leaf(childByTag(row, "sequence"), tag) ?? 0));
    const isTimed = childByTag(row, "timer") !== undefined;
    return { policy: row.name ?? "", isTimed, major: major ?? 0, minor: minor ?? 0, sequence: `${major}.${minor}` };
  });
  return rows.sort((a, b) => a.major - b.major || a.minor - b.minor || (isByName ? (a.policy < b.policy ? -1 : 1) : 0));
}

function rulesOf(entry: TreeNode): PolicyRule[] {
  const place = ROOT_PATH.child("network-policys")
    .entry(entry.name ?? "")
    .child("network_policy_entries")
    .child("policy_rule");
  const texts = new Map<string, number>();
  return entries(childByTag(entry, "network_policy_entries"), "policy_rule").map((rule) => {
    const read = ruleOf(rule, place.entry(rule.name ?? ""));
    const count = (texts.get(read.text) ?? 0) + 1;
    texts.set(read.text, count);
    return count === 1 ? read : { ...read, text: `${read.text} #${count}` };
  });
}

function ruleOf(rule: TreeNode, path: Path): PolicyRule {
  const actions = childByTag(rule, "action_list");
  const action = leaf(actions, "simple_action");
  const [sources, destinations] = [sidesOf(rule, "src_addresses"), sidesOf(rule, "dst_addresses")];
  const [sourcePorts, destinationPorts] = [portsOf(rule, "src_ports"), portsOf(rule, "dst_ports")];
  const isMirrored = leaf(rule, "direction") === "<>";
  const word = (leaf(rule, "protocol") ?? "any").toLowerCase();
  const number = /^\d+$/.test(word) ? word : NUMBERS.get(word);
  const ports = portsWord(destinationPorts);
  const from = portsWord(sourcePorts);
  const summary = `${word}${ports === "" ? "" : `/${ports}`}${from === "" ? "" : ` from port ${from}`}`;
  return {
    text: `${summary} ${sources.map(sideWord).join(", ")} ${isMirrored ? "<>" : ">"} ${destinations.map(sideWord).join(", ")}`,
    path,
    isMirrored,
    protocol: number === "1" && word === "icmp" && leaf(rule, "ethertype") === "IPv6" ? "58" : number,
    protocolWord: word,
    sources,
    destinations,
    sourcePorts,
    destinationPorts,
    action: action === undefined ? undefined : action === "deny" ? "deny" : "allow",
    hasActions: actions !== undefined,
    services: entries(actions, "apply_service").map(({ text }) => text),
  };
}

function sidesOf(rule: TreeNode, list: string): Side[] {
  return entries(rule, list).map((side) => ({
    network: leaf(side, "virtual_network"),
    policy: leaf(side, "network_policy"),
    group: leaf(side, "security_group"),
    addresses: [childByTag(side, "subnet"), ...entries(side, "subnet_list")].flatMap((block) => {
      const text = `${leaf(block, "ip_prefix")}/${leaf(block, "ip_prefix_len")}`;
      if (block === undefined) return [];
      const range = addressRange(text);
      const unknowns = range === undefined ? [{ kind: "network", definition: text, name: text, reason: "it is not a network" }] : [];
      return [{ id: text, name: text, values: range === undefined ? [] : [range], members: [], unknowns }];
    }),
  }));
}

function sideWord({ network, policy, group, addresses }: Side): string {
  const whose = network === undefined ? undefined : lastOf(network);
  const words = [whose, policy && `policy ${lastOf(policy)}`, group && `group ${lastOf(group)}`, ...addresses.map(({ name }) => name)];
  return words.filter((word) => word !== undefined).join(" ") || "any";
}

/** Returns the last part of a name, which is its short form. */
export function lastOf(name: string): string {
  return name.split(":").at(-1) ?? "";
}

function portsOf(rule: TreeNode, list: string): Ports[] {
  return entries(rule, list).map((ports) => {
    const [first, last] = ["start_port", "end_port"].map((tag) => Number(leaf(ports, tag) ?? ANY_PORT));
    return { first: first ?? ANY_PORT, last: last ?? ANY_PORT };
  });
}

function portsWord(ports: readonly Ports[]): string {
  const isAny = ports.some(({ first, last }) => first <= 0 && (last === ANY_PORT || last === 65_535));
  return isAny ? "" : ports.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`)).join(",");
}

export function entries(node: TreeNode | undefined, list: string): readonly TreeNode[] {
  return childOf(node, list)?.children ?? [];
}

export function leaf(node: TreeNode | undefined, tag: string): string | undefined {
  return childOf(node, tag)?.text;
}

export function childOf(node: TreeNode | undefined, tag: string): TreeNode | undefined {
  return node === undefined ? undefined : childByTag(node, tag);
}
