import { addressRange } from "../../../core/address-range.js";
import type { TreeNode } from "../../../core/tree/node.js";
import { narrowest, type Subnet as PlainSubnet } from "../../../reachability/kit/subnet.js";
import { childOf, entries, leaf } from "./fabric.js";

type Route = PlainSubnet["routes"][number];

/** Subnet of a virtual network. */
interface Subnet extends PlainSubnet {
  /** Addresses that the controller itself serves: gateway and name server. */
  readonly own: readonly string[];
  /** True if the network forwards only by layer 2. */
  readonly isBridged: boolean;
}

interface FloatingIp {
  readonly name: string;
  readonly address: string | undefined;
  /** Translated address. Empty if only the interface defines it. Undefined if the floating IP is unassigned. */
  readonly fixed: string | undefined;
}

/** Addresses and routes of a controller. */
export interface Places {
  readonly subnets: readonly Subnet[];
  /** Networks whose addresses are unknown. */
  readonly open: readonly string[];
  readonly floatingIps: readonly FloatingIp[];
  /** Routes of route tables, by the name of the network or logical router that uses them. */
  readonly tables: ReadonlyMap<string, readonly (Route & { readonly table: string })[]>;
}

export function placesIn(root: TreeNode, networks: ReadonlySet<string>): Places {
  const ipams = new Map(entries(root, "network-ipams").map((ipam) => [ipam.name, entries(childOf(ipam, "ipam_subnets"), "subnets")]));
  const tables = new Map(entries(root, "route-tables").map((table) => [table.name, routesOf(table, "routes")]));
  const subnets: Subnet[] = [];
  const open: string[] = [];
  for (const network of entries(root, "virtual-networks").filter(({ name }) => networks.has(name ?? "")))
    for (const ipam of entries(network, "network_ipam_refs")) {
      const own = subnetsOf(entries(ipam, "ipam_subnets"), network);
      // All networks of a flat IPAM share its subnets.
      const all = own.length > 0 ? own : subnetsOf(ipams.get(ipam.name) ?? [], network);
      if (all.length === 0) open.push(network.name ?? "");
      subnets.push(...all);
    }
  const having = [...entries(root, "virtual-networks"), ...entries(root, "logical-routers")];
  return {
    subnets,
    open,
    floatingIps: entries(root, "floating-ips").map((each) => ({
      name: each.name ?? "",
      address: leaf(each, "floating_ip_address"),
      fixed: leaf(each, "floating_ip_fixed_ip_address") ?? (entries(each, "virtual_machine_interface_refs").length > 0 ? "" : undefined),
    })),
    tables: new Map(
      having.map((each) => [
        each.name ?? "",
        entries(each, "route_table_refs").flatMap(({ name = "" }) =>
          (tables.get(name) ?? UNREAD).map((route) => ({ ...route, table: name })),
        ),
      ]),
    ),
  };
}

/** A route table that was not read may contain any route. */
const UNREAD: readonly Route[] = ["0.0.0.0/0", "::/0"].flatMap((text) => routeTo(text, "an address that was not read"));

function subnetsOf(rows: readonly TreeNode[], network: TreeNode): Subnet[] {
  const isBridged = leaf(childOf(network, "virtual_network_properties"), "forwarding_mode") === "l2";
  return rows.flatMap((row) => {
    const text = row.name ?? "";
    const range = addressRange(text);
    if (range === undefined) return [];
    const [gateway, names] = ["default_gateway", "dns_server_address"].map((tag) => leaf(row, tag));
    const own = [gateway, names].filter((each) => each !== undefined && narrowest([{ range }], each) !== undefined);
    const subnet = { name: text, network: network.name ?? "", text, range, isBridged, routes: routesOf(row, "host_routes") };
    return [{ ...subnet, gateway: own.includes(gateway) ? gateway : undefined, own: own as string[] }];
  });
}

function routesOf(node: TreeNode, tag: string): Route[] {
  return entries(childOf(node, tag), "route").flatMap((row) => routeTo(leaf(row, "prefix") ?? "", leaf(row, "next_hop") ?? ""));
}

function routeTo(text: string, nextHop: string): Route[] {
  const range = addressRange(text);
  return range === undefined ? [] : [{ text, range, nextHop }];
}
