import { addressRange } from "../../../core/address-range.js";
import { childByTag } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { Path } from "../../../core/tree/path.js";
import type { AddressRange, AnyOf, Match, Named, ServiceRange, Unknown } from "../../../reachability/flows/policy.js";
import { ROOT_PATH } from "../shape.js";
import { protocolNumber } from "./protocols.js";

/** One rule of a group. A rule only allows traffic, and never denies any. */
export interface GroupRule {
  readonly direction: "ingress" | "egress";
  readonly family: "IPv4" | "IPv6";
  /** The rule without its group: `tcp/443 from 10.0.0.0/8`. Rules with equal text allow the same traffic. */
  readonly text: string;
  readonly path: Path | undefined;
  readonly services: "any" | readonly ServiceRange[];
  readonly conditions: readonly AnyOf[];
  /** Whether it allows all traffic of the family. */
  readonly isAll: boolean;
  /** The other side: addresses, or the ports in a group. */
  readonly remote: { readonly addresses: Match<AddressRange> } | { readonly group: string };
}

export interface Group {
  readonly rules: readonly GroupRule[];
  /** Whether replies are allowed automatically. */
  readonly isStateful: boolean;
  /** Whether ports of other projects may be in the group. */
  readonly isShared: boolean;
}

const GROUPS = ROOT_PATH.child("security_groups");
const FAMILIES = ["IPv4", "IPv6"] as const;
const IPV4_END = 1n << 32n;

/** Returns the security groups of a project by name. */
export function groupsIn(root: TreeNode): Map<string, Group> {
  const entries = childByTag(root, "security_groups")?.children ?? [];
  return new Map(entries.map((entry) => [entry.name ?? "", groupOf(entry, root)]));
}

/** Whether the service returned the entry: only then it shows a project. */
export function isLive(entry: TreeNode): boolean {
  return ["project_id", "tenant_id"].some((tag) => childByTag(entry, tag) !== undefined);
}

function groupOf(entry: TreeNode, root: TreeNode): Group {
  const place = GROUPS.entry(entry.name ?? "");
  const list = childByTag(entry, "rules")?.children ?? [];
  const declared = list.map((rule) => ruleOf(rule, place.child("rules").entry(rule.name ?? ""), root));
  // Every new group has these two rules.
  const born = isLive(entry) ? [] : passing("egress");
  return {
    rules: [...new Map([...born, ...declared].map((rule) => [`${rule.direction} ${rule.text}`, rule])).values()],
    isStateful: childByTag(entry, "stateful")?.text !== "false",
    isShared: childByTag(entry, "shared")?.text === "true" || childByTag(entry, "shared_with") !== undefined,
  };
}

/** Returns rules that allow all traffic in one direction. */
export function passing(direction: GroupRule["direction"]): GroupRule[] {
  return FAMILIES.map((family) => ({
    direction,
    family,
    text: textOf("any", direction, everything(family).id),
    path: undefined,
    services: "any",
    conditions: [],
    isAll: true,
    remote: { addresses: { negated: false, objects: [everything(family)] } },
  }));
}

function ruleOf(rule: TreeNode, path: Path, root: TreeNode): GroupRule {
  const leaf = (tag: string): string | undefined => childByTag(rule, tag)?.text;
  const direction = leaf("direction") === "egress" ? "egress" : "ingress";
  const family = leaf("ethertype") === "IPv6" ? "IPv6" : "IPv4";
  const { services, conditions, word } = servicesOf(leaf);
  const group = leaf("remote_group");
  const remote = group === undefined ? { addresses: addressesOf(leaf, family, root) } : { group };
  const remoteName = group ?? addressGroupIn(leaf) ?? remote.addresses?.objects[0]?.id ?? "";
  const isAll = services === "any" && conditions.length === 0 && group === undefined && remoteName === everything(family).id;
  // A prefix shows its family, but a group does not.
  const isOfGroup = group !== undefined || addressGroupIn(leaf) !== undefined;
  const text = `${textOf(word, direction, remoteName)}${isOfGroup && family === "IPv6" ? " (IPv6)" : ""}`;
  return { direction, family, text, path, services, conditions, isAll, remote };
}

function textOf(word: string, direction: GroupRule["direction"], remoteName: string): string {
  return `${word} ${direction === "ingress" ? "from" : "to"} ${remoteName}`;
}

type Leaf = (tag: string) => string | undefined;

const ICMP = new Set([1, 58]);

/** Returns ports of tcp and similar protocols. For ICMP the two fields are type and code. */
function servicesOf(leaf: Leaf): Pick<GroupRule, "services" | "conditions"> & { readonly word: string } {
  const name = (leaf("protocol") ?? "any").toLowerCase();
  if (name === "any" || name === "null") return { services: "any", conditions: [], word: "any" };
  const protocol = protocolNumber(name);
  const [low, high] = [leaf("port_range_min"), leaf("port_range_max")];
  if (protocol === undefined) {
    const unknown = {
      kind: "protocol",
      definition: name,
      name: `the protocol is ${name}`,
      reason: "which number this protocol has is not known",
    };
    return { services: "any", conditions: [[{ unknown, holds: true }]], word: name };
  }
  const all = { protocol, first: 0, last: 65_535 };
  if (low === undefined && high === undefined) return { services: [all], conditions: [], word: name };
  if (ICMP.has(protocol)) {
    const message = `${name} type ${low ?? "any"}${high === undefined ? "" : ` code ${high}`}`;
    const unknown = {
      kind: "message",
      definition: message,
      name: `the message is ${message}`,
      reason: "types of ICMP are not distinguished",
    };
    return { services: [all], conditions: [[{ unknown, holds: true }]], word: message };
  }
  const [first, last] = [Number(low ?? 0), Number(high ?? low)];
  const word = `${name}/${first === last ? first : `${first}-${last}`}`;
  return { services: [{ protocol, first, last }], conditions: [], word };
}

type Addresses = { readonly negated: false; readonly objects: readonly Named<AddressRange>[] };

function addressesOf(leaf: Leaf, family: GroupRule["family"], root: TreeNode): Addresses {
  const [prefix, set] = [leaf("remote_ip_prefix"), addressGroupIn(leaf)];
  if (set !== undefined) return { negated: false, objects: [addressGroup(set, family, root)] };
  const range = prefix === undefined ? undefined : addressRange(prefix);
  if (prefix === undefined || isEverything(range)) return { negated: false, objects: [everything(family)] };
  const unknowns = range === undefined ? [notRead("network", prefix, "it is no network")] : [];
  return { negated: false, objects: [{ id: prefix, name: prefix, values: range === undefined ? [] : [range], members: [], unknowns }] };
}

function isEverything(range: AddressRange | undefined): boolean {
  return range !== undefined && range.first === 0n && range.last >= IPV4_END - 1n;
}

/** Here the address ranges of the two families do not overlap. */
export function everything(family: GroupRule["family"]): Named<AddressRange> {
  const isFour = family === "IPv4";
  const values = [isFour ? { first: 0n, last: IPV4_END - 1n } : { first: IPV4_END, last: (1n << 128n) - 1n }];
  return { id: isFour ? "0.0.0.0/0" : "::/0", name: isFour ? "0.0.0.0/0" : "IPv6", values, members: [], unknowns: [] };
}

function addressGroupIn(leaf: Leaf): string | undefined {
  return leaf("remote_address_group") ?? leaf("remote_address_group_id");
}

/** Returns the addresses of an address group with the family of the rule, because the rule applies to no others. */
function addressGroup(name: string, family: GroupRule["family"], root: TreeNode): Named<AddressRange> {
  const entries = childByTag(root, "address_groups")?.children ?? [];
  const entry = entries.find((each) => each.name === name || childByTag(each, "id")?.text === name);
  const texts = (entry === undefined ? undefined : childByTag(entry, "addresses")?.children.map(({ text }) => text)) ?? [];
  const ranges = texts.map((text) => addressRange(text));
  const isRead = entry !== undefined && ranges.every((range) => range !== undefined);
  const unknowns = isRead ? [] : [notRead("address group", name, "its addresses were not read")];
  const values = ranges.filter((range) => range !== undefined && range.last < IPV4_END === (family === "IPv4")) as AddressRange[];
  return { id: family === "IPv4" ? name : `${name} (IPv6)`, name, values, members: [], unknowns };
}

function notRead(kind: string, name: string, reason: string): Unknown {
  return { kind, definition: name, name, reason };
}
