/** A member of a complex type: a primitive, or the name of another complex type. */
export interface Member {
  readonly type: "string" | "boolean" | "integer" | (string & {});
  readonly list?: true;
  readonly values?: readonly string[];
  /** Least and most that a number may be. */
  readonly range?: readonly [number, number];
}

const text: Member = { type: "string" };
const texts: Member = { type: "string", list: true };
const truth: Member = { type: "boolean" };
const count: Member = { type: "integer" };
const one = (type: string): Member => ({ type });
const many = (type: string): Member => ({ type, list: true });
const oneOf = (...values: string[]): Member => ({ type: "string", values });

/** Complex types of the controller's schema with their members, as far as the lab checks them (docs/contributing/devices/contrail.md#schema). */
export const COMPLEX_TYPES: Readonly<Record<string, Readonly<Record<string, Member>>>> = {
  VirtualNetworkType: {
    allow_transit: truth,
    network_id: count,
    vxlan_network_identifier: count,
    forwarding_mode: oneOf("l2_l3", "l2", "l3"),
    rpf: oneOf("enable", "disable"),
    mirror_destination: truth,
    max_flows: count,
    mtu: count,
  },
  RouteTargetList: { route_target: texts },
  KeyValuePairs: { key_value_pair: many("KeyValuePair") },
  KeyValuePair: { key: text, value: text },
  VnSubnetsType: { ipam_subnets: many("IpamSubnetType"), host_routes: one("RouteTableType") },
  IpamSubnets: { subnets: many("IpamSubnetType") },
  IpamSubnetType: {
    subnet: one("SubnetType"),
    default_gateway: text,
    dns_server_address: text,
    subnet_uuid: text,
    enable_dhcp: truth,
    dns_nameservers: texts,
    allocation_pools: many("AllocationPoolType"),
    addr_from_start: truth,
    dhcp_option_list: one("DhcpOptionsListType"),
    host_routes: one("RouteTableType"),
    subnet_name: text,
    alloc_unit: count,
    created: text,
    last_modified: text,
    subscriber_tag: text,
    vlan_tag: count,
    dhcp_relay_server: texts,
  },
  SubnetType: { ip_prefix: text, ip_prefix_len: count },
  AllocationPoolType: { start: text, end: text, vrouter_specific_pool: truth },
  DhcpOptionsListType: { dhcp_option: many("DhcpOptionType") },
  DhcpOptionType: { dhcp_option_name: text, dhcp_option_value: text, dhcp_option_value_bytes: text },
  LogicalRouterVirtualNetworkType: { logical_router_virtual_network_type: text },
  RouteTableType: { route: many("RouteType") },
  RouteType: { prefix: text, next_hop: text, next_hop_type: text, community_attributes: one("CommunityAttributes") },
  CommunityAttributes: { community_attribute: texts },
  IpamType: {
    ipam_method: oneOf("dhcp", "fixed"),
    ipam_dns_method: oneOf("none", "default-dns-server", "tenant-dns-server", "virtual-dns-server"),
    ipam_dns_server: one("IpamDnsAddressType"),
    dhcp_option_list: one("DhcpOptionsListType"),
    host_routes: one("RouteTableType"),
    cidr_block: one("SubnetType"),
  },
  IpamDnsAddressType: { tenant_dns_server_address: one("IpAddressesType"), virtual_dns_server_name: text },
  IpAddressesType: { ip_address: texts },
  VirtualNetworkPolicyType: { sequence: one("SequenceType"), timer: one("TimerType") },
  SequenceType: { major: count, minor: count },
  TimerType: { start_time: text, on_interval: text, off_interval: text, end_time: text },
  PolicyEntriesType: { policy_rule: many("PolicyRuleType") },
  PolicyRuleType: {
    rule_sequence: one("SequenceType"),
    rule_uuid: text,
    direction: oneOf(">", "<>"),
    protocol: text,
    src_addresses: many("AddressType"),
    src_ports: many("PortType"),
    application: texts,
    dst_addresses: many("AddressType"),
    dst_ports: many("PortType"),
    action_list: one("ActionListType"),
    ethertype: text,
    created: text,
    last_modified: text,
    description: text,
  },
  AddressType: {
    subnet: one("SubnetType"),
    virtual_network: text,
    security_group: text,
    network_policy: text,
    subnet_list: many("SubnetType"),
  },
  PortType: { start_port: count, end_port: count },
  ActionListType: {
    simple_action: oneOf("deny", "pass"),
    gateway_name: text,
    apply_service: texts,
    service_properties: one("ServicePropertiesType"),
    mirror_to: one("MirrorActionType"),
    assign_routing_instance: text,
    log: truth,
    alert: truth,
    qos_action: text,
    host_based_service: truth,
  },
  ServicePropertiesType: { retain_as_path: truth },
  MirrorActionType: {
    analyzer_name: text,
    encapsulation: text,
    analyzer_ip_address: text,
    analyzer_mac_address: text,
    routing_instance: text,
    udp_port: count,
    juniper_header: truth,
    nh_mode: text,
    static_nh_header: one("StaticMirrorNhType"),
    nic_assisted_mirroring: truth,
    nic_assisted_mirroring_vlan: count,
  },
  StaticMirrorNhType: { vtep_dst_ip_address: text, vtep_dst_mac_address: text, vni: count },
  MacAddressesType: { mac_address: texts },
};
