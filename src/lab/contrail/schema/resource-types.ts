/** Resource types that the controller of 2024 links from `GET /`. */
export const RESOURCE_TYPES: readonly string[] = [
  "access-control-list address-group alarm alias-ip alias-ip-pool analytics-alarm-node analytics-node analytics-snmp-node",
  "api-access-list application-policy-set bgp-as-a-service bgp-router bgpvpn bridge-domain card cli-config",
  "config-database-node config-node config-properties config-root control-node-zone customer-attachment",
  "data-center-interconnect database-node device-chassis device-functional-group device-image devicemgr-node",
  "discovery-service-assignment domain dsa-rule e2-service-provider fabric fabric-namespace feature feature-config",
  "feature-flag firewall-policy firewall-rule floating-ip floating-ip-pool flow-node forwarding-class",
  "global-analytics-config global-qos-config global-system-config global-vrouter-config grpc-profile hardware",
  "hardware-inventory host-based-service instance-ip intent-map interface-route-table job-template link-aggregation-group",
  "loadbalancer loadbalancer-healthmonitor loadbalancer-listener loadbalancer-member loadbalancer-pool logical-interface",
  "logical-router multicast-policy namespace netconf-profile network-device-config network-ipam network-policy node",
  "node-profile overlay-role peering-policy physical-interface physical-role physical-router policy-management port",
  "port-group port-profile port-tuple project provider-attachment qos-config qos-queue role-config role-definition",
  "route-aggregate route-table route-target routing-instance routing-policy security-group security-logging-object",
  "service-appliance service-appliance-set service-connection-module service-endpoint service-group service-health-check",
  "service-instance service-object service-template sflow-profile snmp-profile storm-control-profile",
  "structured-syslog-application-record structured-syslog-config structured-syslog-hostname-record",
  "structured-syslog-message structured-syslog-sla-profile structured-syslog-tenant-record sub-cluster subnet tag tag-type",
  "telemetry-profile virtual-DNS virtual-DNS-record virtual-ip virtual-machine virtual-machine-interface virtual-network",
  "virtual-port-group virtual-router webui-node",
].flatMap((line) => line.split(" "));

const KNOWN: ReadonlySet<string> = new Set(RESOURCE_TYPES);

/** The type in the spelling of paths (`virtual-network`), from either spelling. Undefined if unknown. */
export function resourceType(name: string): string | undefined {
  if (KNOWN.has(name)) return name;
  const dashes = name.replaceAll("_", "-");
  return KNOWN.has(dashes) ? dashes : undefined;
}

/** The controller appends `s` to every type: `network-policys`. */
export function collectionOf(type: string): string {
  return `${type}s`;
}

/** Returns the type as written in field names: `virtual_network`. */
export function fieldName(type: string): string {
  return type.replaceAll("-", "_");
}
