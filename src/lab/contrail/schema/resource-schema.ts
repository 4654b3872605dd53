import type { Member } from "./complex-types.js";

/** Schema of a resource type. A type without a schema accepts any property. */
export interface ResourceSchema {
  /** Possible parent types; empty for top-level types. */
  readonly parents: readonly string[];
  readonly properties: Readonly<Record<string, Member>>;
  /** Attribute type of each reference that has one. Other references have a null attribute. */
  readonly attributes: Readonly<Record<string, string>>;
}

const text: Member = { type: "string" };
const truth: Member = { type: "boolean" };
const count: Member = { type: "integer" };
const any: Member = { type: "any" };
const common = { display_name: text, annotations: { type: "KeyValuePairs" }, id_perms: any, perms2: any } as const;

/** Types that the specification and the recordings use (docs/contributing/devices/contrail.md#schema). */
export const RESOURCE_SCHEMAS: Readonly<Record<string, ResourceSchema>> = {
  "virtual-network": {
    parents: ["project"],
    properties: {
      ...common,
      address_allocation_mode: {
        type: "string",
        values: ["user-defined-subnet-preferred", "user-defined-subnet-only", "flat-subnet-preferred", "flat-subnet-only"],
      },
      is_shared: truth,
      router_external: truth,
      route_target_list: { type: "RouteTargetList" },
      import_route_target_list: { type: "RouteTargetList" },
      export_route_target_list: { type: "RouteTargetList" },
      virtual_network_properties: { type: "VirtualNetworkType" },
      virtual_network_network_id: count,
      port_security_enabled: truth,
      flood_unknown_unicast: truth,
      fabric_snat: truth,
      mtu: count,
      pbb_evpn_enable: truth,
      pbb_etree_enable: truth,
      layer2_control_word: truth,
      mac_learning_enabled: truth,
      mac_limit_control: any,
      mac_move_control: any,
      mac_aging_time: count,
      ecmp_hashing_include_fields: any,
      multi_policy_service_chains_enabled: truth,
      external_ipam: truth,
      virtual_network_category: text,
      virtual_network_fat_flow_protocols: any,
      provider_properties: any,
      is_provider_network: truth,
      igmp_enable: truth,
    },
    attributes: {
      network_ipam_refs: "VnSubnetsType",
      network_policy_refs: "VirtualNetworkPolicyType",
      routing_policy_refs: "RoutingPolicyType",
    },
  },
  "network-ipam": {
    parents: ["project"],
    properties: {
      ...common,
      network_ipam_mgmt: { type: "IpamType" },
      ipam_subnets: { type: "IpamSubnets" },
      ipam_subnet_method: { type: "string", values: ["user-defined-subnet", "flat-subnet", "auto-subnet"] },
      ipam_subnetting: truth,
    },
    attributes: {},
  },
  "network-policy": {
    parents: ["project"],
    properties: { ...common, network_policy_entries: { type: "PolicyEntriesType" } },
    attributes: {},
  },
  "security-group": {
    parents: ["project"],
    properties: {
      ...common,
      security_group_entries: { type: "PolicyEntriesType" },
      security_group_id: count,
      configured_security_group_id: { ...count, range: [0, 7999999] },
    },
    attributes: {},
  },
  "route-table": { parents: ["project"], properties: { ...common, routes: { type: "RouteTableType" } }, attributes: {} },
  "logical-router": {
    parents: ["project"],
    properties: {
      ...common,
      logical_router_type: { type: "string", values: ["snat-routing", "vxlan-routing"] },
      logical_router_gateway_external: truth,
      vxlan_network_identifier: text,
      configured_route_target_list: { type: "RouteTargetList" },
      logical_router_dhcp_relay_server: { type: "IpAddressesType" },
    },
    attributes: { virtual_network_refs: "LogicalRouterVirtualNetworkType" },
  },
  "instance-ip": {
    parents: [],
    properties: {
      ...common,
      instance_ip_address: text,
      instance_ip_family: { type: "string", values: ["v4", "v6"] },
      instance_ip_mode: any,
      subnet_uuid: text,
      instance_ip_secondary: truth,
      instance_ip_local_ip: truth,
      instance_ip_subscriber: any,
      service_instance_ip: truth,
      service_health_check_ip: truth,
      secondary_ip_tracking_ip: any,
    },
    attributes: {},
  },
  "floating-ip-pool": { parents: ["virtual-network"], properties: { ...common, floating_ip_pool_subnets: any }, attributes: {} },
  "floating-ip": {
    parents: ["floating-ip-pool", "instance-ip"],
    properties: {
      ...common,
      floating_ip_address: text,
      floating_ip_is_virtual_ip: truth,
      floating_ip_fixed_ip_address: text,
      floating_ip_address_family: { type: "string", values: ["v4", "v6"] },
      floating_ip_port_mappings_enable: truth,
      floating_ip_port_mappings: any,
      floating_ip_traffic_direction: text,
    },
    attributes: {},
  },
  domain: { parents: ["config-root"], properties: { ...common, domain_limits: any }, attributes: {} },
  "api-access-list": {
    parents: ["global-system-config", "domain", "project"],
    properties: { ...common, api_access_list_entries: any },
    attributes: {},
  },
};
