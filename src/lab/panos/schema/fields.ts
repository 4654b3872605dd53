/*
 * Form of single fields, by path. Source: the device schema (10.0.5, see names.ts) and the specifications of pan-os-codegen.
 */

/** Attribute `encrypt` of the device schema; `phash`: hashed by devices (specs/device/administrator.yaml). */
export const ENCRYPTED = [
  "**/phash|private-key|password|passphrase|secret|bind-password|authpwd|privpwd",
  "**/auth-password|kerberos-keytab|secure-proxy-password|wmi-password|group-password|uninstall-password|passcode|agent-user-override-key",
  "**/authentication-key|secret-access-key|service-account-cred",
  "network/ike/gateway/authentication/pre-shared-key/key",
  "network/tunnel/ipsec/manual-key/**/key",
  "network/virtual-router/protocol/*/auth-profile/**/key",
  "server-profile/mfa-server-profile/mfa-config/value",
];

/** Attribute `need-uuid` of the device schema: lists of rules. */
export const RULE_LISTS = ["rulebase|pre-rulebase|post-rulebase/*/rules"];

const RULES = "rulebase|pre-rulebase|post-rulebase/*/rules";

/** Lists of a rule without which it matches anything. */
export const MATCH_LISTS = [
  `${RULES}/from|to|source|destination|source-user|application|category|source-hip|destination-hip|hip-profiles`,
  `${RULES}/from|to/zone|interface`,
  "rulebase|pre-rulebase|post-rulebase/security|decryption|pbf|qos|dos|authentication|captive-portal|sdwan/rules/service",
];

/** Elements of types `string`, `enum`, `bool` and numbers, which contain text and no elements. */
export const TEXTS = [
  "tag/color|comments|disable-override",
  "address/ip-netmask|ip-range|ip-wildcard|fqdn|description|disable-override",
  "address-group/description|disable-override",
  "address-group/dynamic/filter",
  "service/description|disable-override",
  "service/protocol/tcp|udp|sctp/port|source-port",
  "service-group|application-group|schedule|profile-group|external-list/disable-override",
  "application/description|category|subcategory|technology|risk|parent-app",
  "application/default/ident-by-ip-protocol",
  "external-list/type/*/url|description|certificate-profile",
  "zone/enable-user-identification|enable-device-identification|dos-profile|dos-log-setting",
  "zone/network/zone-protection-profile|log-setting|enable-packet-buffer-protection|net-inspection",
  "profiles/*/description|disable-override",
  "profiles/custom-url-category/type",
  `${RULES}/description|disabled|rule-type|log-start|log-end|log-setting|schedule|negate-source|negate-destination|group-tag`,
  `${RULES}/icmp-unreachable|disable-inspect|nat-type|to-interface|active-active-device-binding|profile|port`,
  "rulebase|pre-rulebase|post-rulebase/security|default-security-rules|decryption/rules/action",
  "rulebase|pre-rulebase|post-rulebase/nat/rules/service",
  `${RULES}/source-translation/static-ip/translated-address|bi-directional`,
  `${RULES}/destination-translation|dynamic-destination-translation/translated-address|translated-port|distribution`,
  "log-settings/profiles/description|enhanced-application-logging",
  "log-settings/*/match-list/action-desc|log-type|filter|send-to-panorama|quarantine",
  "log-settings/syslog/server/server|transport|port|format|facility",
  "server-profile/*/server/address|ip-address|host|port|secret",
  "network/interface/ethernet|aggregate-ethernet/comment|link-speed|link-duplex|link-state",
  "network/interface/**/mtu|interface-management-profile|netflow-profile|comment",
  "network/interface/**/units/tag",
  "network/virtual-router/routing-table/ip|ipv6/static-route/interface|metric|admin-dist|destination",
  "network/virtual-router/routing-table/ip|ipv6/static-route/nexthop/ip-address|ipv6-address|fqdn|next-vr",
  "network/tunnel/*/tunnel-interface|disabled|comment",
  "network/ike/gateway/local-address/interface|ip",
  "network/virtual-wire/interface1|interface2|tag-allowed",
  "deviceconfig/system/hostname|domain|ip-address|netmask|default-gateway|ipv6-address|ipv6-default-gateway|timezone|locale|login-banner",
  "deviceconfig/system/dns-setting/dns-proxy-object",
  "deviceconfig/system/dns-setting/servers/primary|secondary",
  "mgt-config/users/phash|public-key|authentication-profile|password-profile",
];
