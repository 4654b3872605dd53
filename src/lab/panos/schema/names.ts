/*
 * Lists whose entries other fields can name, and the fields that name them. Paths are below a scope (`shared`, a vsys, a device group, a
 * device or a template), without `entry`; `/@` is the name of an entry.
 *
 * Sources:
 *   device schema  constraints `memberof` and `name-space` of the schema of 10.0.5 that pan-os-php publishes
 *                  (lib/resources/panos-pa220-schema-v10_0_5.xml.gz), also served by devices at /php/utils/schema.php
 *   specs          the specifications of pan-os-codegen, where later versions add fields
 */

export interface ListFact {
  readonly kind: string;
  /** Lists with the same namespace cannot contain the same name twice in one scope. */
  readonly namespace?: string;
}

const list = (pattern: string, kind: string, namespace?: string): readonly [string, ListFact] => [
  pattern,
  namespace === undefined ? { kind } : { kind, namespace },
];

const SECURITY_PROFILES = ["virus", "spyware", "vulnerability", "url-filtering", "file-blocking", "wildfire-analysis", "data-filtering"];

/** Lists with names. Source: device schema; `name-space` of address and service lists. */
export const LISTS: readonly (readonly [string, ListFact])[] = [
  list("tag", "tag"),
  list("address", "address", "address"),
  list("address-group", "address-group", "address"),
  list("service", "service", "service"),
  list("service-group", "service-group", "service"),
  list("application", "application", "application"),
  list("application-group", "application-group", "application"),
  list("application-filter", "application-filter", "application"),
  list("region", "region"),
  list("external-list", "external-list"),
  list("dynamic-user-group", "dynamic-user-group"),
  list("schedule", "schedule"),
  list("zone", "zone"),
  list("profile-group", "profile-group"),
  ...[...SECURITY_PROFILES, "gtp", "sctp"].map((kind) => list(`profiles/${kind}`, kind)),
  list("profiles/data-objects", "data-object"),
  list("profiles/custom-url-category", "custom-url-category"),
  list("profiles/decryption", "decryption-profile"),
  list("profiles/dos-protection", "dos-protection"),
  list("profiles/hip-objects", "hip-object"),
  list("profiles/hip-profiles", "hip-profile"),
  list("authentication-object", "authentication-object"),
  list("device-object", "device-object"),
  list("sdwan-interface-profile", "sdwan-interface-profile"),
  list("reports", "report"),
  list("report-group", "report-group"),
  list("certificate", "certificate"),
  list("certificate-profile", "certificate-profile"),
  list("ssl-tls-service-profile", "ssl-tls-service-profile"),
  list("authentication-profile", "authentication-profile", "authentication"),
  list("authentication-sequence", "authentication-sequence", "authentication"),
  list("server-profile/ldap", "ldap-server"),
  list("server-profile/radius", "radius-server"),
  list("server-profile/tacplus", "tacplus-server"),
  list("server-profile/kerberos", "kerberos-server"),
  list("server-profile/saml-idp", "saml-idp-server"),
  list("server-profile/netflow", "netflow"),
  list("server-profile/dns", "dns-server"),
  list("server-profile/mfa-server-profile", "mfa-server"),
  list("local-user-database/user", "local-user"),
  list("local-user-database/user-group", "local-user-group"),
  list("log-settings/snmptrap", "snmptrap-profile"),
  list("log-settings/syslog", "syslog-profile"),
  list("log-settings/email", "email-profile"),
  list("log-settings/http", "http-profile"),
  list("log-settings/profiles", "log-profile"),
  list("log-settings/**/match-list", "log-match-list"),
  list("admin-role", "admin-role"),
  list("mgt-config/password-profile", "password-profile"),
  list("network/interface/ethernet|aggregate-ethernet", "interface"),
  list("network/interface/**/units", "interface"),
  list("network/profiles/interface-management-profile", "interface-management-profile"),
  list("network/profiles/monitor-profile", "monitor-profile"),
  list("network/profiles/zone-protection-profile", "zone-protection-profile"),
  list("network/profiles/lldp-profile", "lldp-profile"),
  list("network/profiles/bfd-profile", "bfd-profile"),
  list("network/ike/crypto-profiles/ike-crypto-profiles", "ike-crypto"),
  list("network/ike/crypto-profiles/ipsec-crypto-profiles", "ipsec-crypto"),
  list("network/ike/gateway", "ike-gateway"),
  list("network/tunnel/ipsec", "ipsec-tunnel"),
  list("network/virtual-router", "virtual-router"),
  list("network/logical-router", "logical-router"),
  list("network/virtual-wire", "virtual-wire"),
  list("network/vlan", "vlan"),
  list("network/dns-proxy", "dns-proxy"),
  list("network/qos/profile", "qos-profile"),
];

export interface ReferenceFact {
  readonly kinds: readonly string[];
  /** Values that name no object. */
  readonly words?: readonly string[];
}

const field = (pattern: string, kinds: string, ...words: string[]): readonly [string, ReferenceFact] => [
  pattern,
  words.length === 0 ? { kinds: kinds.split(" ") } : { kinds: kinds.split(" "), words },
];

const RULES = "rulebase|pre-rulebase|post-rulebase/*/rules";
const MATCHES = `${RULES}/source|destination`;
const LAYER3 = "network/interface/**";

/** Fields of rules that name objects. Source: device schema. */
const OF_RULES = [
  field(MATCHES, "address address-group external-list region", "any"),
  field(`${RULES}/from|to`, "zone", "any", "multicast"),
  field(`${RULES}/from|to/zone`, "zone", "any"),
  field(`${RULES}/from|to/interface`, "interface", "any"),
  field(
    `${RULES}/source-user`,
    "external-list dynamic-user-group local-user local-user-group",
    "any",
    "known-user",
    "unknown",
    "pre-logon",
  ),
  field(`${RULES}/application`, "application application-group application-filter", "any"),
  field(`${RULES}/service`, "service service-group", "any", "application-default", "service-http", "service-https"),
  field(`${RULES}/category`, "custom-url-category external-list", "any"),
  field(`${RULES}/source-hip|destination-hip|hip-profiles`, "hip-profile device-object", "any", "no-hip", "quarantine"),
  field(`${RULES}/tag|group-tag`, "tag"),
  field(`${RULES}/schedule`, "schedule"),
  field(`${RULES}/log-setting`, "log-profile"),
  field(`${RULES}/profile-setting/group`, "profile-group"),
  ...[...SECURITY_PROFILES, "gtp", "sctp"].map((kind) => field(`${RULES}/profile-setting/profiles/${kind}`, kind)),
  field(`${RULES}/to-interface`, "interface", "any"),
  field(`${RULES}/source-translation/dynamic-ip-and-port|dynamic-ip/translated-address`, "address address-group"),
  field(`${RULES}/source-translation/dynamic-ip/fallback/translated-address`, "address address-group"),
  field(`${RULES}/source-translation/static-ip/translated-address`, "address"),
  field(`${RULES}/source-translation/**/interface-address/interface`, "interface"),
  field(`${RULES}/destination-translation/translated-address`, "address"),
  field(`${RULES}/dynamic-destination-translation/translated-address`, "address address-group"),
  field(`${RULES}/action/forward/egress-interface`, "interface"),
  field(`${RULES}/action/forward/nexthop/ip-address|fqdn`, "address"),
  field(`${RULES}/action/forward/monitor/profile`, "monitor-profile"),
  field(`${RULES}/profile`, "decryption-profile"),
  field(`${RULES}/protection/aggregate|classified/profile`, "dos-protection"),
  field(`${RULES}/authentication-enforcement`, "authentication-object"),
];

/** Fields of objects and profiles. Source: device schema. */
const OF_OBJECTS = [
  field("address|address-group|service|service-group|dynamic-user-group/tag", "tag"),
  field("address-group/static", "address address-group"),
  field("service-group/members", "service service-group"),
  field("application-group/members", "application application-group application-filter"),
  ...[...SECURITY_PROFILES, "gtp", "sctp"].map((kind) => field(`profile-group/${kind}`, kind)),
  field("profiles/data-filtering/rules/data-object", "data-object"),
  field("external-list/type/*/certificate-profile", "certificate-profile"),
  field("authentication-object/authentication-profile", "authentication-profile authentication-sequence"),
  field("authentication-sequence/authentication-profiles", "authentication-profile"),
  ...["radius", "ldap", "kerberos", "tacplus"].map((kind) =>
    field(`authentication-profile/method/${kind}/server-profile`, `${kind}-server`),
  ),
  field("authentication-profile/method/saml-idp/server-profile", "saml-idp-server"),
  field("authentication-profile/method/saml-idp/request-signing-certificate", "certificate"),
  field("authentication-profile/method/saml-idp/certificate-profile", "certificate-profile"),
  field("authentication-profile/multi-factor-auth/factors", "mfa-server"),
  field("certificate-profile/CA/@", "certificate"),
  field("ssl-tls-service-profile/certificate", "certificate"),
  field("server-profile/saml-idp/certificate", "certificate"),
  field("local-user-database/user-group/user", "local-user"),
  field("group-mapping/server-profile", "ldap-server"),
  ...["syslog", "email", "http"].map((kind) => field(`log-settings/*/match-list/send-${kind}`, `${kind}-profile`)),
  field("log-settings/*/match-list/send-snmptrap", "snmptrap-profile"),
  field("report-group/custom-widget/custom-report", "report"),
  field("email-scheduler/report-group", "report-group"),
  field("email-scheduler/email-profile", "email-profile"),
  field("zone/network/layer3|layer2|virtual-wire|tap", "interface"),
  field("zone/network/zone-protection-profile", "zone-protection-profile"),
  field("zone/network/log-setting", "log-profile"),
  field("zone/user-acl|device-acl/include-list|exclude-list", "address address-group"),
  field("zone/dos-profile", "dos-protection"),
  field("zone/dos-log-setting", "log-profile"),
  field("url-admin-override/ssl-tls-service-profile", "ssl-tls-service-profile"),
  field("reference-templates", "template template-stack"),
  field("templates", "template"),
];

/** Fields of the network and of the device. Source: device schema; logical routers: specs/network/logical-router.yaml. */
const OF_DEVICE = [
  field("import/network/interface", "interface"),
  field("import/network/virtual-router", "virtual-router"),
  field("import/network/logical-router", "logical-router"),
  field("import/network/virtual-wire", "virtual-wire"),
  field("import/network/vlan", "vlan"),
  field("import/dns-proxy", "dns-proxy"),
  field("import/visible-vsys", "vsys"),
  field(`${LAYER3}/interface-management-profile`, "interface-management-profile"),
  field(`${LAYER3}/netflow-profile`, "netflow"),
  field(`${LAYER3}/lldp/profile`, "lldp-profile"),
  field(`${LAYER3}/sdwan-link-settings/sdwan-interface-profile`, "sdwan-interface-profile"),
  field(`${LAYER3}/ddns-config/ddns-cert-profile`, "certificate-profile"),
  field(`${LAYER3}/ip/@`, "address"),
  field(`${LAYER3}/ipv6|ndp-proxy/address/@`, "address"),
  field(`${LAYER3}/ddns-config/ddns-ipv6`, "address"),
  field(`${LAYER3}/pppoe/static-address/ip`, "address"),
  field(`${LAYER3}/upstream-nat/static-ip/fqdn|ip-address`, "address"),
  field(`${LAYER3}/unnumbered/source-interface`, "interface"),
  field("network/interface/ethernet/aggregate-group", "interface"),
  field("network/interface/sdwan/units/interface", "interface"),
  field("network/virtual-router/interface", "interface"),
  field("network/logical-router/vrf/interface", "interface"),
  field("network/virtual-router/routing-table/ip|ipv6/static-route/interface", "interface"),
  field("network/virtual-router/routing-table/ip|ipv6/static-route/nexthop/next-vr", "virtual-router"),
  field("network/virtual-router/routing-table/ip|ipv6/static-route/destination", "address"),
  field("network/virtual-router/routing-table/ip|ipv6/static-route/nexthop/ip-address|ipv6-address|fqdn", "address"),
  field("network/virtual-router/routing-table/ip|ipv6/static-route/path-monitor/monitor-destinations/destination", "address"),
  field("network/virtual-router/protocol/ospf|ospfv3/area/interface/@", "interface"),
  field("network/virtual-router/protocol/rip/interface/@", "interface"),
  field("network/virtual-router/protocol/bgp/peer-group/peer/local-address/interface", "interface"),
  field("network/virtual-wire/interface1|interface2", "interface"),
  field("network/vlan/interface", "interface"),
  field("network/vlan/virtual-interface/interface", "interface"),
  field("network/dhcp/interface/@", "interface"),
  field("network/dns-proxy/interface", "interface"),
  field("network/ike/gateway/local-address/interface", "interface"),
  field("network/ike/gateway/authentication/certificate/certificate-profile", "certificate-profile"),
  field("network/ike/gateway/protocol/ikev1|ikev2/ike-crypto-profile", "ike-crypto", "default"),
  field("network/tunnel/*/tunnel-interface", "interface"),
  field("network/tunnel/ipsec/auto-key/ike-gateway/@", "ike-gateway"),
  field("network/tunnel/ipsec/auto-key/ipsec-crypto-profile", "ipsec-crypto", "default"),
  field("network/tunnel/ipsec/manual-key/local-address/interface", "interface"),
  field("network/tunnel/ipsec/tunnel-monitor/tunnel-monitor-profile", "monitor-profile"),
  field("network/tunnel/gre|global-protect-gateway/local-address/interface", "interface"),
  field("deviceconfig/system/authentication-profile", "authentication-profile authentication-sequence"),
  field("deviceconfig/system/non-ui-authentication-profile", "authentication-profile"),
  field("deviceconfig/system/certificate-profile", "certificate-profile"),
  field("deviceconfig/system/ssl-tls-service-profile", "ssl-tls-service-profile"),
  field("deviceconfig/system/syslog-certificate", "certificate"),
  field("deviceconfig/high-availability/group/monitoring/link-monitoring/link-group/interface", "interface"),
  field("mgt-config/users/authentication-profile", "authentication-profile authentication-sequence"),
  field("mgt-config/users/password-profile", "password-profile"),
  field("mgt-config/users/permissions/role-based/custom/**/profile", "admin-role"),
];

export const FIELDS: readonly (readonly [string, ReferenceFact])[] = [...OF_RULES, ...OF_OBJECTS, ...OF_DEVICE];
