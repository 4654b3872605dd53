import type { TargetConfiguration } from "../../../src/desired/configuration/configuration.js";
import { contrailPolicies } from "../../../src/targets/contrail/policy-role.js";
import { treeOf } from "../../targets/contrail/policy/fabric.js";
import type { Change, World } from "./worlds.js";

const project = ["default-domain", "p"];
const named = (name: string) => ({ fq_name: [...project, name] });
const reference = (name: string, attr: object = {}) => ({ to: [...project, name], attr });
const address = (name: string) => [{ virtual_network: [...project, name].join(":") }];

const rule = {
  direction: ">",
  protocol: "tcp",
  src_addresses: address("web"),
  dst_addresses: address("db"),
  src_ports: [{ start_port: -1, end_port: -1 }],
  dst_ports: [{ start_port: 443, end_port: 443 }],
  action_list: { simple_action: "pass" },
};
const network = (name: string) => ({
  ...named(name),
  network_policy_refs: [
    reference("policy", { sequence: { major: 0, minor: 0 } }),
    ...(name === "web" ? [reference("other", { sequence: { major: 0, minor: 5 } })] : []),
  ],
  network_ipam_refs: [
    reference("ipam", { ipam_subnets: [{ subnet: { ip_prefix: name === "web" ? "10.1.0.0" : "10.2.0.0", ip_prefix_len: 24 } }] }),
  ],
  route_target_list: { route_target: ["target:1:1"] },
});

export const controller: World = {
  role: contrailPolicies,
  configuration: { kind: "contrail", reading: {} } as unknown as TargetConfiguration,
  tree: treeOf(
    {
      networks: [network("web"), network("db")] as never,
      policies: [
        { ...named("policy"), network_policy_entries: { policy_rule: [rule] } },
        { ...named("other"), network_policy_entries: { policy_rule: [{ ...rule, action_list: { simple_action: "deny" } }] } },
      ] as never,
    },
    { "logical-routers": [{ ...named("router"), virtual_network_refs: [reference("web")] }] },
  ),
  names: {
    "network-policys": "default-domain:p:policy",
    "virtual-networks": "default-domain:p:web",
    "logical-routers": "default-domain:p:router",
    network_policy_refs: "default-domain:p:policy",
    network_ipam_refs: "default-domain:p:ipam",
    ipam_subnets: "10.1.0.0/24",
    virtual_network_refs: "default-domain:p:web",
    policy_rule: "> tcp * default-domain:p:web -1,-1 default-domain:p:db 443,443 pass",
    src_addresses: "default-domain:p:web * * * *",
    dst_addresses: "default-domain:p:db * * * *",
    src_ports: "-1 -1",
    dst_ports: "443 443",
  },
};

export const CONTROLLER_VALUES: readonly (readonly [pattern: string, change: Change])[] = [
  ["network-policys/**/direction", { before: ">", after: "<>" }],
  ["network-policys/**/protocol", { before: "tcp", after: "udp" }],
  ["network-policys/**/virtual_network", { before: "default-domain:p:web", after: "default-domain:p:db" }],
  ["network-policys/**/simple_action", { before: "pass", after: "deny" }],
  ["network-policys/**/start_port", { before: "443", after: "442" }],
  ["network-policys/**/end_port", { before: "443", after: "444" }],
  ["virtual-networks/*/router_external|fabric_snat", { before: "false", after: "true" }],
  ["virtual-networks/*/network_policy_refs/*/sequence/*", { before: "0", after: "9" }],
];

const ALL = "network-ipams|network-policys|security-groups|route-tables|virtual-networks|logical-routers|floating-ip-pools|floating-ips";

/** Fields of a controller that decide no flow, each with the reason. */
export const IRRELEVANT_IN_CONTROLLERS: readonly (readonly [reason: string, ...patterns: string[]])[] = [
  ["A text for readers, and the mark of the owner.", `${ALL}/*/owner|display_name`, `${ALL}/*/annotations/**`, `${ALL}/**/description`],
  [
    "Settings that hosts get by DHCP and DNS.",
    "network-ipams/*/network_ipam_mgmt/**",
    "logical-routers/*/logical_router_dhcp_relay_server/*",
  ],
  ["Selects how the controller divides the subnets.", "network-ipams/*/ipam_subnetting"],
  ["Logs, copies and marks of allowed traffic.", "network-policys/**/action_list/log|alert|qos_action", "network-policys/**/mirror_to/**"],
  [
    "Learning of hardware addresses, and sizes of packets.",
    "virtual-networks/*/flood_unknown_unicast|pbb_evpn_enable|pbb_etree_enable|layer2_control_word|mac_learning_enabled|mac_aging_time",
    "virtual-networks/*/igmp_enable|mtu",
  ],
  ["Follows the address.", "floating-ips/*/floating_ip_address_family"],
];
