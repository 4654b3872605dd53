import { TreeNode } from "../../../src/core/tree/node.js";
import type { TargetConfiguration } from "../../../src/desired/configuration/configuration.js";
import { openstackPolicies } from "../../../src/targets/openstack/policy-role.js";
import { UNSECURED } from "../../../src/targets/openstack/security-group-form.js";
import type { Field } from "./fields.js";
import type { Change, World } from "./worlds.js";

type Content = string | TreeNode | readonly string[] | { readonly [tag: string]: Content };

/** Builds an element: an array is a list of members, an object has children, and its keys with `*` are entries. */
function node(tag: string, content: Content, name?: string): TreeNode {
  if (content instanceof TreeNode) return content;
  if (typeof content === "string") return new TreeNode(tag, name, content);
  if (Array.isArray(content))
    return new TreeNode(
      tag,
      name,
      "",
      content.map((text: string) => new TreeNode("member", undefined, text)),
    );
  const children = Object.entries(content).map(([key, inner]) =>
    key.startsWith("*") ? node("entry", inner, key.slice(1)) : node(key, inner),
  );
  return new TreeNode(tag, name, "", children);
}

const own = { project_id: "1" };
const tcp = { direction: "ingress", ethertype: "IPv4", protocol: "tcp" };

const out = { direction: "egress", ethertype: "IPv4" };

const tree = node("openstack", {
  networks: { "*n": { ...own, subnets: { "*s": { ...own, cidr: "10.0.0.0/24" } } }, "*n2": own },
  routers: { "*r": own },
  security_groups: {
    "*web": {
      ...own,
      rules: { "*out": out, "*rule": { ...tcp, port_range_min: "443", port_range_max: "443", remote_ip_prefix: "10.0.0.0/8" } },
    },
    "*other": { ...own, rules: { "*all": tcp, "*out": out, "*of-members": { ...tcp, protocol: "udp", remote_group: "web" } } },
  },
  address_groups: { "*offices": { addresses: ["10.0.0.0/8"] }, "*homes": { addresses: ["192.0.2.0/24"] } },
  ports: { "*p": { ...own, network: "n", security_groups: ["web"] }, "*q": { ...own, network: "n", security_groups: ["other"] } },
  servers: {
    "*srv": { ...own, security_groups: ["web"], networks: { "*row": { network: "n" } } },
    "*bare": {
      ...own,
      security_groups: ["web"],
      networks: { "*row": { network: new TreeNode("network", undefined, "n", [], new Map([[UNSECURED, "port"]])) } },
    },
  },
  floatingips: { "*f": own },
  trunks: { "*t": own },
});

export const cloud: World = {
  role: openstackPolicies,
  configuration: { kind: "openstack" } as unknown as TargetConfiguration,
  tree,
  names: {
    networks: "n",
    subnets: "s",
    routers: "r",
    security_groups: "web",
    rules: "rule",
    ports: "p",
    servers: "srv",
    floatingips: "f",
    trunks: "t",
  },
};

export const cloudText = ({ tags }: Field): string => tags.join("/");

const ROW = { networks: "row" };
const ALL = { security_groups: "other", rules: "all" };

export const CLOUD_VALUES: readonly (readonly [pattern: string, change: Change])[] = [
  ["security_groups/*/rules/*/direction", { before: "ingress", after: "egress" }],
  ["security_groups/*/rules/*/ethertype", { before: "IPv4", after: "IPv6", names: ALL }],
  ["security_groups/*/rules/*/protocol", { before: "tcp", after: "udp" }],
  ["security_groups/*/rules/*/port_range_min", { before: "443", after: "442" }],
  ["security_groups/*/rules/*/port_range_max", { before: "443", after: "444" }],
  ["security_groups/*/rules/*/remote_ip_prefix", { before: "10.0.0.0/8", after: "192.0.2.0/24" }],
  ["security_groups/*/rules/*/remote_group", { before: "web", after: "other", names: ALL }],
  ["security_groups/*/rules/*/remote_address_group", { before: "offices", after: "homes", names: ALL }],
  ["security_groups/*/shared_with", { before: undefined, after: ["2"] }],
  ["security_groups/*/stateful", { before: "true", after: "false" }],
  ["*/*/security_groups", { before: ["web"], after: ["other"] }],
  ["servers/*/networks/*/network", { before: "n", after: "n2", names: ROW }],
  ["servers/*/networks/*/port", { before: "p", after: "q", names: ROW }],
  ["servers/*/networks/*/fixed_ip", { before: "10.0.0.5", after: "10.0.0.6", names: ROW }],
  ["servers/*/port_security_enabled", { before: "false", after: "true", names: { servers: "bare" } }],
  ["ports|networks/*/port_security_enabled", { before: "true", after: "false" }],
];

/** Fields of a cloud that decide no flow, each with the reason. */
export const IRRELEVANT_IN_CLOUDS: readonly (readonly [reason: string, ...patterns: string[]])[] = [
  ["A text for readers.", "*/*/description", "*/*/tags", "*/*/name", "security_groups/*/rules/*/description"],
  ["Texts and name servers of a subnet.", "networks/*/subnets/*/description|tags|dns_nameservers"],
  ["The mark of the owner.", "*/*/owner"],
  ["Sizes of packets, names and bandwidth.", "networks/*/mtu|dns_domain|is_default", "*/*/qos_policy_id", "ports/*/dns_name"],
  [
    "Placement in the cloud.",
    "*/*/availability_zone_hints|availability_zone",
    "ports/*/binding:vnic_type|binding:host_id",
    "server_groups/**",
  ],
  ["Placement in the cloud.", "servers/*/server_group", "servers/*/scheduler_hints/*"],
  ["Other projects that may use it. They count as anywhere.", "networks/*/shared_with"],
  ["Source of the addresses of new subnets. The addresses of a subnet are reported.", "subnetpools/*/*"],
  ["Options that a DHCP server hands out.", "ports/*/extra_dhcp_opts/*/*"],
  ["Keys that log on to servers.", "keypairs/*/*"],
  ["What runs on a server.", "servers/*/image|boot_volume|volumes|flavor|key_name|config_drive|metadata|user_data|adminPass|saveTo"],
  ["State of a server.", "servers/*/power|resizing|rebuilding|fault"],
  ["Storage.", "volumes/*/*"],
];
