import { addressNumber, addressRange } from "../../../core/address-range.js";
import { childByTag } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import { narrowest, type Subnet, type SubnetRoute } from "../../../reachability/kit/subnet.js";
import { isOpenRow } from "./members.js";

/** A port or server of the project, with an address in a network. */
export interface Station {
  /** Key for the rules of its groups: `port vip`, `server web-01`. */
  readonly holder: string;
  readonly name: string;
  readonly network: string;
  readonly address: string;
}

export interface Router {
  readonly name: string;
  readonly interfaces: readonly { readonly subnet: Subnet; readonly address: string }[];
  readonly routes: readonly SubnetRoute[];
  readonly external: { readonly network: string; readonly addresses: readonly string[]; readonly translates: boolean } | undefined;
}

export interface FloatingIp {
  readonly name: string;
  readonly address: string;
  /** The target. Undefined if the floating IP is unassigned. */
  readonly station: Station | undefined;
  readonly router: string | undefined;
}

/** Networks of a project, with their stations, routers and floating IPs. */
export interface Topology {
  readonly subnets: readonly Subnet[];
  readonly stations: readonly Station[];
  readonly routers: readonly Router[];
  readonly floatingIps: readonly FloatingIp[];
}

export function topologyIn(root: TreeNode): Topology {
  const subnets = entries(root, "networks").flatMap((network) => entries(network, "subnets").flatMap((each) => subnetOf(each, network)));
  const ports = entries(root, "ports").flatMap((port) => portStations(port));
  const servers = entries(root, "servers").flatMap((server) => serverStations(server, ports, root));
  const stations = [...ports.filter(({ name }) => !servers.some((each) => each.port === name)), ...servers];
  return {
    subnets,
    stations,
    routers: entries(root, "routers").map((router) => routerOf(router, subnets, ports)),
    floatingIps: entries(root, "floatingips").flatMap((floating) => floatingIpOf(floating, stations)),
  };
}

function subnetOf(subnet: TreeNode, network: TreeNode): Subnet[] {
  const text = leaf(subnet, "cidr");
  const range = text === undefined ? undefined : addressRange(text);
  if (text === undefined || range === undefined) return [];
  const gateway = leaf(subnet, "gateway_ip");
  return [
    {
      name: subnet.name ?? "",
      network: network.name ?? "",
      text,
      range,
      gateway: gateway === "null" ? undefined : gateway,
      routes: routesOf(subnet, "host_routes"),
    },
  ];
}

function portStations(port: TreeNode): Station[] {
  const name = port.name ?? "";
  const network = leaf(port, "network") ?? "";
  return entries(port, "fixed_ips").flatMap((row) => {
    const address = leaf(row, "ip_address");
    return address === undefined ? [] : [{ holder: `port ${name}`, name, network, address }];
  });
}

/** The interfaces of a server show the first address of each port. A declared port has its own groups. */
function serverStations(server: TreeNode, ports: readonly Station[], root: TreeNode): (Station & { readonly port?: string })[] {
  const name = server.name ?? "";
  const rows = childByTag(server, "networks")?.children ?? [];
  const made = rows.flatMap((row): (Station & { readonly port?: string })[] => {
    const port = leaf(row, "port");
    if (port !== undefined) return ports.filter((each) => each.name === port).map((each) => ({ ...each, name, port }));
    const [address, network] = [leaf(row, "fixed_ip"), leaf(row, "network")];
    if (address === undefined || network === undefined) return [];
    return [{ holder: isOpenRow(row, server, root) ? `server ${name} on ${network}` : `server ${name}`, name, network, address }];
  });
  const first = made.find(({ holder }) => holder === `server ${name}`);
  const others = entries(server, "addresses").flatMap((network) =>
    members(network, "fixed").map((address) => ({ network: network.name ?? "", address })),
  );
  const known = new Set(made.map(({ address }) => address));
  return [
    ...made,
    ...(first === undefined ? [] : others.filter(({ address }) => !known.has(address)).map((each) => ({ ...first, ...each }))),
  ];
}

function routerOf(router: TreeNode, subnets: readonly Subnet[], ports: readonly Station[]): Router {
  // Without a declared port in a subnet, a router gets the gateway address of the subnet.
  const named = new Set(members(router, "interfaces"));
  const own = subnets.filter(({ name, network }) => named.has(name) || named.has(`${network}/${name}`));
  const byPort = members(router, "interface_ports").flatMap((port) => ports.filter(({ name }) => name === port));
  const network = leaf(router, "external_network");
  return {
    name: router.name ?? "",
    interfaces: [
      ...own.flatMap((subnet) => (subnet.gateway === undefined ? [] : [{ subnet, address: subnet.gateway }])),
      ...byPort.flatMap(({ network, address }) => {
        const subnet = narrowest(subnetsOf(network, subnets), address);
        return subnet === undefined ? [] : [{ subnet, address }];
      }),
    ],
    routes: routesOf(router, "routes"),
    external:
      network === undefined
        ? undefined
        : {
            network,
            addresses: entries(router, "external_fixed_ips").flatMap((row) => leaf(row, "ip_address") ?? []),
            translates: leaf(router, "enable_snat") !== "false",
          },
  };
}

function floatingIpOf(floating: TreeNode, stations: readonly Station[]): FloatingIp[] {
  const name = floating.name ?? "";
  const address = leaf(floating, "floating_ip_address") ?? (addressNumber(name) === undefined ? undefined : name);
  if (address === undefined) return [];
  const [port, server, fixed] = ["port", "server", "fixed_ip_address"].map((tag) => leaf(floating, tag));
  const there = stations.filter(
    (each) => (port !== undefined && each.holder === `port ${port}`) || (server !== undefined && each.name === server),
  );
  const station = there.find((each) => each.address === fixed) ?? there.find((each) => fixed === undefined && !each.address.includes(":"));
  return [{ name, address, station, router: leaf(floating, "router") }];
}

function routesOf(node: TreeNode, tag: string): SubnetRoute[] {
  return entries(node, tag).flatMap((row) => {
    const [text, nextHop] = [leaf(row, "destination"), leaf(row, "nexthop")];
    const range = text === undefined ? undefined : addressRange(text);
    return text === undefined || range === undefined || nextHop === undefined ? [] : [{ text, range, nextHop }];
  });
}

export function subnetsOf(network: string, subnets: readonly Subnet[]): Subnet[] {
  return subnets.filter((subnet) => subnet.network === network);
}

function entries(node: TreeNode, list: string): readonly TreeNode[] {
  return childByTag(node, list)?.children ?? [];
}

function members(node: TreeNode, list: string): string[] {
  return entries(node, list).map(({ text }) => text);
}

function leaf(node: TreeNode, tag: string): string | undefined {
  return childByTag(node, tag)?.text;
}
