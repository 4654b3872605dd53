import { type JsonObject, objectsAt, textAt, texts } from "../../core/json/value.js";
import { type NetworksView, type NetworkView, plainId, type SubnetView } from "../../engine/networks-view.js";
import type { OpenstackClient } from "../openstack-client/client/client.js";

/**
 * Reads the networks and subnets that the account may see, with two list requests. An administrator sees the networks of every project.
 * Other users see their own, shared and external networks.
 */
export async function readNetworksView(client: OpenstackClient): Promise<NetworksView> {
  const { project, roles } = await client.session();
  const [networks, subnets] = await Promise.all([
    client.list({ service: "network", path: ["networks"], collection: "networks" }),
    client.list({ service: "network", path: ["subnets"], collection: "subnets" }),
  ]);
  const byNetwork = new Map<string, SubnetView[]>();
  for (const subnet of subnets) {
    const network = textAt(subnet, "network_id") ?? "";
    const known = byNetwork.get(network);
    if (known === undefined) byNetwork.set(network, [subnetView(subnet)]);
    else known.push(subnetView(subnet));
  }
  return {
    networks: networks.map((network) => networkView(network, byNetwork)),
    projects: roles.includes("admin") || project === undefined ? undefined : new Set([plainId(project.id)]),
    lookup: undefined,
  };
}

function networkView(network: JsonObject, subnets: ReadonlyMap<string, readonly SubnetView[]>): NetworkView {
  const id = textAt(network, "id") ?? "";
  return {
    id,
    name: textAt(network, "name") ?? "",
    project: plainId(textAt(network, "project_id") ?? textAt(network, "tenant_id") ?? ""),
    shared: network.shared === true,
    external: network["router:external"] === true,
    up: network.admin_state_up !== false,
    isSystem: false,
    subnets: subnets.get(id) ?? [],
  };
}

function subnetView(subnet: JsonObject): SubnetView {
  return {
    id: textAt(subnet, "id") ?? "",
    name: textAt(subnet, "name") ?? "",
    cidr: textAt(subnet, "cidr") ?? "",
    gateway: textAt(subnet, "gateway_ip"),
    dhcp: subnet.enable_dhcp !== false,
    dns: texts(subnet.dns_nameservers) ?? [],
    pools: objectsAt(subnet, "allocation_pools").map((pool) => `${textAt(pool, "start")}-${textAt(pool, "end")}`),
    routes: objectsAt(subnet, "host_routes").map((route) => `${textAt(route, "destination")} via ${textAt(route, "nexthop")}`),
  };
}
