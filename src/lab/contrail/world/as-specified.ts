import { type Json, type JsonObject, objectAt, objectsAt } from "../../../core/json/value.js";

/**
 * A virtual network with every field of the specification. Missing fields get their default values. The number of the network is in both
 * fields that controllers have used.
 */
export function asSpecified(network: JsonObject): JsonObject {
  return {
    ...network,
    is_shared: network.is_shared ?? false,
    router_external: network.router_external ?? false,
    route_target_list: { route_target: [], ...objectAt(network, "route_target_list") },
    virtual_network_properties: {
      forwarding_mode: "l2_l3",
      network_id: network.virtual_network_network_id ?? null,
      vxlan_network_identifier: null,
      extend_to_external_routers: null,
      ...objectAt(network, "virtual_network_properties"),
    },
    network_ipam_refs: network.network_ipam_refs ?? [],
    network_policy_refs: objectsAt(network, "network_policy_refs").map((reference) => ({ ...reference, attr: withTimer(reference.attr) })),
    instance_ip_back_refs: network.instance_ip_back_refs ?? [],
    virtual_machine_interface_back_refs: network.virtual_machine_interface_back_refs ?? [],
    routing_instances: network.routing_instances ?? [],
  };
}

function withTimer(attribute: Json | undefined): Json {
  return typeof attribute === "object" && attribute !== null && !Array.isArray(attribute)
    ? { timer: null, ...attribute }
    : (attribute ?? null);
}
