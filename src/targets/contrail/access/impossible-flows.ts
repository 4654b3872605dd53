import { rangesMeet } from "../../../core/address-range.js";
import type { TreeNode } from "../../../core/tree/node.js";
import { type AddressRange, ANY_FLOW, DEFAULT_LEVEL, type FlowSet, type Rule } from "../../../reachability/flows/policy.js";
import { childOf, entries, leaf } from "../policy/fabric.js";
import type { Places } from "../policy/subnets.js";
import type { End } from "./ends.js";

type Network = Pick<End, "network" | "label">;

/** Returns the networks that accept traffic of their hosts from any source address. */
export function withoutReversePath(root: TreeNode): ReadonlySet<string> {
  const isOff = (network: TreeNode) => leaf(childOf(network, "virtual_network_properties"), "rpf") === "disable";
  return new Set(entries(root, "virtual-networks").flatMap((network) => (isOff(network) ? (network.name ?? "") : [])));
}

/** Returns the subnets of another network that a network itself does not have. Empty if its own subnets are not known. */
export function addressesOfOther(
  { subnets, open }: Places,
  { network: other }: Network,
  { network: own }: Network,
): readonly AddressRange[] {
  const of = (name: string) => subnets.filter(({ network, isBridged }) => network === name && !isBridged).map(({ range }) => range);
  if (other === own || open.includes(own)) return [];
  return of(other).filter((range) => !of(own).some((each) => rangesMeet(range, each)));
}

/**
 * Returns flows that never pass between two networks: the controller routes an address of a subnet to its network, and reverse path
 * forwarding drops traffic of a host with an address of the other network.
 */
export function impossibleFlows(places: Places, hasSpoofed: ReadonlySet<string>, one: Network, other: Network): readonly Rule[] {
  const both = [one.label, other.label];
  return [[one, other] as const, [other, one] as const].flatMap(([own, theirs]): readonly Rule[] => {
    const values = addressesOfOther(places, theirs, own);
    if (values.length === 0) return [];
    const name = `subnets of ${theirs.label}`;
    const match = { negated: false, objects: [{ id: name, name, values, members: [], unknowns: [] }] };
    const routed = ruleOf(`routed to ${theirs.label}`, { from: both, to: [own.label] }, { destination: match });
    const spoofed = ruleOf(`not of ${own.label}`, { from: [own.label], to: "any" }, { source: match });
    return hasSpoofed.has(own.network) ? [routed] : [routed, spoofed];
  });
}

function ruleOf(
  name: string,
  zones: Pick<FlowSet["zones"], "from" | "to">,
  addresses: Partial<Pick<FlowSet, "source" | "destination">>,
): Rule {
  const key = { level: DEFAULT_LEVEL, group: "", name, uuid: JSON.stringify([name, zones]) };
  return { ...ANY_FLOW, ...addresses, key, origin: {}, zones: { type: "universal", ...zones }, verdict: "deny", action: "deny" };
}
