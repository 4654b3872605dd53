import type { JsonObject } from "../../../core/json/value.js";
import { ipv6Text } from "../../../core/tree/canonical-network.js";
import { contentKey, contentKeys } from "../../../core/tree/content-key.js";
import { childByTag } from "../../../core/tree/lookup.js";
import { TreeNode } from "../../../core/tree/node.js";
import type { AddressRange } from "../../../reachability/flows/policy.js";
import { objectShape, ROOT_PATH } from "../collections.js";
import { decodeFields } from "../json-tree/decode.js";
import { ANYWHERE } from "../policy/links.js";
import type { End, RequestedService } from "./ends.js";

/** A policy rule between two ends. */
export interface RuleWords {
  readonly from: JsonObject[];
  readonly to: JsonObject[];
  readonly service: RequestedService | "any";
  readonly direction: ">" | "<>";
  readonly action: "pass" | "deny";
  readonly ethertype: "IPv4" | "IPv6" | undefined;
}

/** Fields of a rule that a request may add an entry to. */
export type ListField = "src_addresses" | "dst_addresses" | "src_ports" | "dst_ports";

const ALL_PORTS: JsonObject = { start_port: -1, end_port: -1 };
const IPV4_BITS = 32;
const IPV6_BITS = 128;

/** Shape of the rules of a policy. */
const rulesShape = () => objectShape("network-policys").child("network_policy_entries").child("policy_rule");

/** Path of the rules of a policy. */
export const rulesAt = (policy: string) =>
  ROOT_PATH.child("network-policys").entry(policy).child("network_policy_entries").child("policy_rule");

/** Returns the entries of a rule for an end: its network with its addresses, or only its addresses. */
export function sidesOf({ network, range }: End, isNamed: boolean): JsonObject[] {
  const named = network === ANYWHERE || !isNamed ? {} : { virtual_network: network };
  return range === undefined ? [{ virtual_network: network }] : prefixesOf(range).map((subnet) => ({ ...named, subnet }));
}

/** Returns the IP version of a rule, if an end has addresses. */
export function ethertypeOf(...ends: readonly End[]): RuleWords["ethertype"] {
  const range = ends.find((end) => end.range !== undefined)?.range;
  return range === undefined ? undefined : isIpv6(range) ? "IPv6" : "IPv4";
}

/** Returns a rule as an entry whose name is its key. */
export function ruleRow(words: RuleWords): TreeNode {
  return keyed(decodeFields(ruleFields(words), rulesShape().child("entry")));
}

/** Returns a new policy as an entry of the list of policies. */
export function policyEntry(name: string, rules: readonly RuleWords[], description: string): TreeNode {
  const fields = { network_policy_entries: { policy_rule: rules.map(ruleFields) }, id_perms: { description } };
  return new TreeNode("entry", name, "", decodeFields(fields, objectShape("network-policys")));
}

/** Returns a rule with other entries in one of its lists. */
export function withList(rule: TreeNode, field: ListField, change: (entries: readonly TreeNode[]) => readonly TreeNode[]): TreeNode {
  const entries = change(childByTag(rule, field)?.children ?? []);
  const list = rulesShape().child("entry").child(field);
  const keys = contentKeys(entries, list);
  const named = entries.map(({ children }, at) => new TreeNode("entry", keys[at] ?? "", "", children));
  return keyed(rule.children.map((child) => (child.tag === field ? new TreeNode(field, undefined, "", named) : child)));
}

/** Returns entries of a list of addresses or ports. */
export function rowsOf(field: ListField, items: readonly JsonObject[]): readonly TreeNode[] {
  const shape = rulesShape().child("entry").child(field).child("entry");
  return items.map((item) => new TreeNode("entry", undefined, "", decodeFields(item, shape)));
}

/** Returns the entries of a rule for ports. */
export function portsOf({ ports }: RequestedService): JsonObject[] {
  return ports.length === 0 ? [ALL_PORTS] : ports.map(({ first, last }) => ({ start_port: first, end_port: last }));
}

function ruleFields({ from, to, service, direction, action, ethertype }: RuleWords): JsonObject {
  return {
    direction,
    protocol: service === "any" ? "any" : service.protocol,
    ...(ethertype === undefined ? {} : { ethertype }),
    src_addresses: from,
    src_ports: [ALL_PORTS],
    dst_addresses: to,
    dst_ports: service === "any" ? [ALL_PORTS] : portsOf(service),
    action_list: { simple_action: action },
  };
}

function keyed(children: readonly TreeNode[]): TreeNode {
  const bare = new TreeNode("entry", undefined, "", children);
  return new TreeNode("entry", contentKey(bare, rulesShape()), "", children);
}

const isIpv6 = ({ last }: AddressRange) => last >= 1n << BigInt(IPV4_BITS);

/** Splits a range into the fewest networks. */
function prefixesOf(range: AddressRange): JsonObject[] {
  const bits = isIpv6(range) ? IPV6_BITS : IPV4_BITS;
  const found: JsonObject[] = [];
  for (let { first } = range; first <= range.last; ) {
    let size = 0;
    const fits = (more: number) => first % (1n << BigInt(more)) === 0n && first + (1n << BigInt(more)) - 1n <= range.last;
    while (size < bits && fits(size + 1)) size++;
    found.push({ ip_prefix: addressText(first, bits), ip_prefix_len: bits - size });
    first += 1n << BigInt(size);
  }
  return found;
}

function addressText(value: bigint, bits: number): string {
  if (bits === IPV6_BITS) return ipv6Text(value);
  const parts = [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n);
  return parts.join(".");
}
