/** Lists outside the rulebase that decide the meaning of rules, by what they decide. A tag after a slash is below the first one. */
export const DECIDING_LISTS = {
  users: [
    "dynamic-user-group",
    "local-user-database",
    "group-mapping",
    "server-profile/ldap",
    "user-id-collector",
    "user-id-agent",
    "redistribution-agent",
    "ts-agent",
    "captive-portal",
    "ipuser-include-exclude-list",
  ],
  hosts: ["global-protect", "redistribution-agent"],
  registered: ["iptag-include-exclude-list", "vm-info-source", "redistribution-agent"],
  resolvers: ["dns-proxy", "server-profile/dns"],
  applications: ["application-tag", "application-status"],
  inspection: ["profile-group", "threats"],
  floods: ["profiles/dos-protection"],
  decryption: ["profiles/decryption"],
} as const satisfies Record<string, readonly string[]>;

/** Settings of interfaces and routers that decide neither the zone nor the route of an address. */
export const SILENT_NETWORK: ReadonlySet<string> = new Set([
  "comment",
  "link-speed",
  "link-duplex",
  "lacp",
  "poe",
  "lldp",
  "mtu",
  "df-ignore",
  "adjust-tcp-mss",
  "netflow-profile",
  "interface-management-profile",
  "arp",
  "ndp-proxy",
  "neighbor-discovery",
  "ddns-config",
  "send-hostname",
  "bonjour",
  "resource",
  "dns-proxy",
]);

/** Lists below `network` that decide the zone or the route of an address, or drop traffic before the rules. */
const DECIDING =
  /^\/network(\/(interface|virtual-router|logical-router|virtual-wire|vlan|shared-gateway|dns-proxy|profiles\/zone-protection-profile)(\/|$)|(\/profiles)?$)/;

/** Whether a setting below `network`, as its tags, may change the zone or the route of an address. */
export function decidesZones(tags: string): boolean {
  return (
    DECIDING.test(tags) &&
    !tags
      .split("/")
      .slice(3)
      .some((tag) => SILENT_NETWORK.has(tag))
  );
}
