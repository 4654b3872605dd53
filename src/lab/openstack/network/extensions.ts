/** Extensions of the lab's network service, by alias. */
export const EXTENSIONS = [
  ["provider", "Provider Network"],
  ["external-net", "Neutron external network"],
  ["net-mtu", "Network MTU"],
  ["net-mtu-writable", "Network MTU (writable)"],
  ["subnet_allocation", "Subnet Allocation"],
  ["subnetpool-prefix-ops", "Subnet Pool Prefix Operations"],
  ["router", "Neutron L3 Router"],
  ["extraroute", "Neutron Extra Route"],
  ["fip-port-details", "Add port_details to Floating IP resource"],
  ["security-group", "security-group"],
  ["stateful-security-group", "Stateful security group"],
  ["port-security", "Port Security"],
  ["address-group", "Address group"],
  ["security-groups-remote-address-group", "Remote address group id field for security group rules"],
  ["rbac-policies", "RBAC Policies"],
  ["rbac-address-group", "Address group RBAC support"],
  ["rbac-security-groups", "Add security_group type to network RBAC"],
  ["rbac-subnetpool", "Add subnetpool type to RBAC"],
  ["binding", "Port Binding"],
  ["trunk", "Trunk Extension"],
  ["trunk-details", "Trunk port details"],
  ["allowed-address-pairs", "Allowed Address Pairs"],
  ["extra_dhcp_opt", "Neutron Extra DHCP options"],
  ["quotas", "Quota management support"],
  ["quota_details", "Quota details management support"],
  ["pagination", "Pagination support"],
  ["sorting", "Sorting support"],
  ["project-id", "project_id field enabled"],
  ["standard-attr-description", "standard-attr-description"],
  ["standard-attr-revisions", "Resource revision numbers"],
  ["revision-if-match", "If-Match constraints based on revision_number"],
  ["standard-attr-tag", "Tag support for resources with standard attribute"],
  ["standard-attr-timestamp", "Resource timestamps"],
].map(([alias = "", name = ""]) => extension(alias, name));

/** Extension that services have since 2025.1. */
export const TAGS_AT_CREATE = extension("tag-creation", "Tag creation extension");

function extension(alias: string, name: string) {
  return { alias, name, description: `${name}.`, updated: "2020-01-01T00:00:00-00:00", links: [] };
}
