import { isObject, type JsonObject, objectAt, objectsAt, textAt, texts } from "../../core/json/value.js";
import { type NetworksView, type NetworkView, plainId, type SubnetView } from "../../engine/networks-view.js";
import type { ContrailClient } from "./client/client.js";
import { listAll } from "./client/lists.js";
import { readNetworkServiceTable } from "./client/objects.js";
import { nameOf } from "./object-tree.js";
import { isHiddenFromUsers, isSystemObject } from "./system-objects.js";

/** DHCP option that contains the name servers of a subnet. */
const NAME_SERVERS = "6";
const NO_GATEWAY = "0.0.0.0";
const FULL_ACCESS = 7;

/** Returns the controller's networks in the terms of the network service (docs/contributing/devices/contrail.md#joins). */
export async function readNetworksView(client: ContrailClient): Promise<NetworksView> {
  const [documents, lookup] = await Promise.all([listAll(client, "virtual-network"), readLookup(client)]);
  return { networks: documents.map(networkView), projects: undefined, lookup };
}

/** The table exists only if the network service is a projection of the controller. Otherwise the table is empty or refused. */
async function readLookup(client: ContrailClient): Promise<ReadonlyMap<string, string> | undefined> {
  const rows = await readNetworkServiceTable(client);
  if (rows.length === 0) return undefined;
  return new Map(rows.map((row) => [textAt(row, "key") ?? "", textAt(row, "value") ?? ""]));
}

function networkView(document: JsonObject): NetworkView {
  const perms = objectAt(document, "id_perms") ?? {};
  const perms2 = objectAt(document, "perms2") ?? {};
  const name = textAt(document, "display_name") ?? texts(document.fq_name)?.at(-1) ?? "";
  return {
    id: textAt(document, "uuid") ?? "",
    name,
    project: plainId(textAt(document, "parent_uuid") ?? ""),
    shared: document.is_shared === true || objectsAt(perms2, "share").length > 0 || perms2.global_access === FULL_ACCESS,
    external: document.router_external === true,
    up: perms.enable !== false,
    isSystem: isSystemObject(nameOf(document)) || isHiddenFromUsers(document),
    subnets: objectsAt(document, "network_ipam_refs").flatMap((reference) =>
      objectsAt(objectAt(reference, "attr") ?? {}, "ipam_subnets").map(subnetView),
    ),
  };
}

function subnetView(subnet: JsonObject): SubnetView {
  const { ip_prefix = "0.0.0.0", ip_prefix_len = 0 } = objectAt(subnet, "subnet") ?? {};
  const gateway = textAt(subnet, "default_gateway");
  const pools = objectsAt(subnet, "allocation_pools").map((pool) => `${textAt(pool, "start")}-${textAt(pool, "end")}`);
  const routes = objectsAt(objectAt(subnet, "host_routes") ?? {}, "route");
  return {
    id: textAt(subnet, "subnet_uuid") ?? "",
    name: textAt(subnet, "subnet_name") ?? "",
    cidr: `${String(ip_prefix)}/${String(ip_prefix_len)}`,
    gateway: gateway === undefined || gateway === NO_GATEWAY ? undefined : gateway,
    dhcp: subnet.enable_dhcp !== false,
    dns: nameServers(subnet),
    pools: pools.length === 0 ? undefined : pools,
    routes: routes.map((route) => `${textAt(route, "prefix")} via ${textAt(route, "next_hop")}`),
  };
}

function nameServers(subnet: JsonObject): string[] {
  const options = objectsAt(objectAt(subnet, "dhcp_option_list") ?? {}, "dhcp_option").filter(isObject);
  const servers = options.find((option) => String(option.dhcp_option_name) === NAME_SERVERS);
  return (textAt(servers ?? {}, "dhcp_option_value") ?? "").split(/\s+/).filter((server) => server !== "");
}
