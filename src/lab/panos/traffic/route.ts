import type { TreeNode } from "../../../core/tree/node.js";
import { child } from "../state/system-facts.js";
import { covers } from "./addresses.js";
import { texts } from "./objects.js";

/** Result of a route lookup in a virtual router. */
export interface Hop {
  readonly interface: string;
  /** Address of the next hop. Undefined if the address is in the interface's own network. */
  readonly next: string | undefined;
}

/**
 * Looks up the most specific route of a virtual router for an address. Returns undefined if there is no route or the route discards the
 * packet. `steps` limits recursion.
 */
export function routeOf(config: TreeNode, router: string, address: string, steps = 8): Hop | undefined {
  const network = child(child(child(config, "devices")?.children[0], "network"), "virtual-router");
  const entry = network?.children.find(({ name }) => name === router);
  const own = new Set(texts(child(entry, "interface")));
  const isIpv6 = address.includes(":");
  const connected = interfacesOf(child(child(config, "devices")?.children[0], "network"))
    .filter(({ name }) => own.has(name))
    .map((each) => ({ to: each.address, width: widthOf(each.address), rank: 0, entry: undefined, name: each.name }));
  const table = child(child(entry, "routing-table"), isIpv6 ? "ipv6" : "ip");
  const fixed = (child(table, "static-route")?.children ?? []).map((route) => {
    const to = child(route, "destination")?.text ?? "";
    const rank = Number(child(route, "admin-dist")?.text ?? 10) * 1e6 + Number(child(route, "metric")?.text ?? 10);
    return { to, width: widthOf(to), rank, entry: route, name: "" };
  });
  const [best] = [...connected, ...fixed]
    .filter(({ to }) => to.includes(":") === isIpv6 && covers(to, address))
    .sort((a, b) => b.width - a.width || a.rank - b.rank);
  if (best === undefined || steps === 0) return undefined;
  if (best.entry === undefined) return { interface: best.name, next: undefined };
  return follow(best.entry, { config, router, address, steps });
}

interface LookUp {
  readonly config: TreeNode;
  readonly router: string;
  readonly address: string;
  readonly steps: number;
}

function follow(route: TreeNode, { config, router, address, steps }: LookUp): Hop | undefined {
  const hop = child(route, "nexthop");
  const next = child(hop, "ip-address")?.text ?? child(hop, "ipv6-address")?.text;
  const out = child(route, "interface")?.text;
  if (out !== undefined) return { interface: out, next };
  const other = child(hop, "next-vr")?.text;
  if (other !== undefined) return routeOf(config, other, address, steps - 1);
  const through = next === undefined ? undefined : routeOf(config, router, next, steps - 1);
  return through === undefined ? undefined : { interface: through.interface, next };
}

function widthOf(network: string): number {
  return Number(network.split("/")[1] ?? 128);
}

/** Returns the addresses of all interfaces and subinterfaces, as written in the configuration. */
export function interfacesOf(network: TreeNode | undefined): { readonly name: string; readonly address: string }[] {
  const found: { name: string; address: string }[] = [];
  const visit = (node: TreeNode, name: string) => {
    for (const each of node.children) {
      const isList = (each.tag === "ip" || each.tag === "address") && each.name === undefined;
      if (isList) for (const { name: address = "" } of each.children) found.push({ name, address });
      else visit(each, each.name ?? name);
    }
  };
  const interfaces = child(network, "interface");
  if (interfaces !== undefined) visit(interfaces, "");
  return found;
}
