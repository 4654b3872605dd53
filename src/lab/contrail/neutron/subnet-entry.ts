import { type Json, type JsonObject, objectAt, objectsAt, textAt, texts } from "../../../core/json/value.js";
import { cidrOf, hostAt, type Network } from "../addresses/network.js";

/** Returns the `ipam_subnets` entry that the plugin writes for a subnet. It has all keys; most of them are null or empty. */
export function subnetEntry(document: JsonObject, network: Network, id: string, time: string): JsonObject {
  const nameservers = texts(document.dns_nameservers) ?? [];
  const [prefix = ""] = cidrOf(network).split("/");
  return {
    subnet: { ip_prefix: prefix, ip_prefix_len: network.length },
    default_gateway: gatewayOf(document, network),
    dns_server_address: nameservers[0] ?? hostAt(network, 2),
    subnet_uuid: id,
    enable_dhcp: document.enable_dhcp ?? true,
    dns_nameservers: [],
    allocation_pools: poolsOf(document).map((pool) => ({ ...pool, vrouter_specific_pool: null })),
    addr_from_start: true,
    dhcp_option_list: toDhcpOptions(document.dns_nameservers),
    host_routes: toHostRoutes(objectsAt(document, "host_routes")),
    subnet_name: textAt(document, "name") ?? "",
    alloc_unit: 1,
    created: time,
    last_modified: time,
    subscriber_tag: null,
    vlan_tag: null,
    dhcp_relay_server: [],
  };
}

/** Null disables the gateway, which the controller stores as `0.0.0.0`. Without a value, the gateway is the first host. */
function gatewayOf(document: JsonObject, network: Network): string {
  if (document.gateway_ip === null) return network.bits === 32 ? "0.0.0.0" : "::";
  return textAt(document, "gateway_ip") ?? hostAt(network, 1);
}

/** Returns the pools of a document or an entry, with start and end only. */
export function poolsOf(document: JsonObject): { start: string; end: string }[] {
  return objectsAt(document, "allocation_pools").map((pool) => ({ start: textAt(pool, "start") ?? "", end: textAt(pool, "end") ?? "" }));
}

/** Returns the routes of an entry in the format of the network service. */
export function routesOf(entry: JsonObject): JsonObject[] {
  return objectsAt(objectAt(entry, "host_routes") ?? {}, "route").map((route) => ({
    destination: route.prefix ?? null,
    nexthop: route.next_hop ?? null,
  }));
}

export function toHostRoutes(routes: readonly JsonObject[]): Json {
  if (routes.length === 0) return null;
  return {
    route: routes.map(({ destination = null, nexthop = null }) => ({
      prefix: destination,
      next_hop: nexthop,
      next_hop_type: null,
      community_attributes: null,
    })),
  };
}

/** Name servers as DHCP option 6. */
export function toDhcpOptions(nameservers: Json | undefined): Json {
  const servers = texts(nameservers) ?? [];
  if (servers.length === 0) return null;
  return { dhcp_option: [{ dhcp_option_name: "6", dhcp_option_value: servers.join(" "), dhcp_option_value_bytes: null }] };
}
