/** Fields of each list that affect security policy, in addition to creating or deleting an entry. */
export const OF_GROUPS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["security_groups", new Set(["rules", "stateful", "shared_with"])],
  ["ports", new Set(["security_groups", "port_security_enabled"])],
  ["servers", new Set(["security_groups", "networks", "port_security_enabled"])],
  ["networks", new Set(["port_security_enabled"])],
  ["address_groups", new Set(["addresses"])],
]);

/** Fields of each list that decide which addresses reach each other. Their effect is not computed. */
export const OF_TOPOLOGY: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [
    "routers",
    new Set("admin_state_up external_network enable_snat external_fixed_ips interfaces interface_ports routes distributed ha".split(" ")),
  ],
  ["floatingips", new Set("pool floating_ip_address port server fixed_ip_address".split(" "))],
  [
    "networks",
    new Set(
      "admin_state_up shared router:external subnets provider:network_type provider:physical_network provider:segmentation_id".split(" "),
    ),
  ],
  ["servers", new Set(["networks"])],
  ["ports", new Set("network admin_state_up fixed_ips mac_address allowed_address_pairs".split(" "))],
  ["trunks", new Set("port admin_state_up sub_ports".split(" "))],
]);
