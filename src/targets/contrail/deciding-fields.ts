const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** Fields that affect reachability, by list. Adding or removing an entry of these lists also affects it. */
export const OF_POLICIES: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["network-policys", words("network_policy_entries")],
  [
    "virtual-networks",
    words(
      "network_policy_refs route_target_list import_route_target_list export_route_target_list router_external fabric_snat is_provider_network",
    ),
  ],
  ["logical-routers", words("virtual_network_refs virtual_machine_interface_refs")],
]);

/** Fields of each list that decide flows, but whose effect is not computed. */
export const UNCOMPARED: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["network-policys", words("id_perms")],
  [
    "virtual-networks",
    words(
      "is_shared port_security_enabled multi_policy_service_chains_enabled external_ipam address_allocation_mode virtual_network_category virtual_network_properties provider_properties network_ipam_refs route_table_refs id_perms",
    ),
  ],
  [
    "logical-routers",
    words(
      "logical_router_type logical_router_gateway_external vxlan_network_identifier configured_route_target_list virtual_network_refs route_table_refs id_perms",
    ),
  ],
  ["security-groups", words("security_group_entries configured_security_group_id id_perms")],
  ["route-tables", words("routes id_perms")],
  [
    "floating-ips",
    words(
      "parent floating_ip_address floating_ip_fixed_ip_address floating_ip_is_virtual_ip floating_ip_port_mappings_enable floating_ip_port_mappings floating_ip_traffic_direction virtual_machine_interface_refs id_perms",
    ),
  ],
  ["floating-ip-pools", words("parent floating_ip_pool_subnets id_perms")],
  ["network-ipams", words("ipam_subnet_method ipam_subnets id_perms")],
]);
