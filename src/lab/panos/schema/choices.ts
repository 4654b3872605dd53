/*
 * Children that exclude each other, by the path of their parent. Source: elements `union` and `choice` of the device schema (10.0.5, see
 * names.ts); an interface's `ip`, `dhcp-client` and `pppoe`: variants in specs/network/interface/ethernet.yaml of pan-os-codegen.
 */

const choice = (parent: string, tags: string): readonly [string, readonly string[]] => [parent, tags.split(" ")];

const RULES = "rulebase|pre-rulebase|post-rulebase/*/rules";
const ROUTER = "network/virtual-router";
const HASHES = "md5 sha1 sha256 sha384 sha512 none";
const THREAT_ACTIONS = "default allow alert drop reset-client reset-server reset-both block-ip";

const OF_OBJECTS = [
  choice("address", "ip-netmask ip-range ip-wildcard fqdn"),
  choice("address-group", "static dynamic"),
  choice("service/protocol", "tcp udp sctp"),
  choice("service/protocol/tcp|udp|sctp/override", "no yes"),
  choice("application/default", "port ident-by-ip-protocol ident-by-icmp-type ident-by-icmp6-type"),
  choice("application-filter/tagging", "no-tag tag"),
  choice("schedule/schedule-type", "recurring non-recurring"),
  choice("schedule/schedule-type/recurring", "weekly daily"),
  choice("external-list/type", "predefined-ip predefined-url ip domain url imsi imei"),
  choice("external-list/type/*/recurring", "five-minute hourly daily weekly monthly"),
  choice("profiles/spyware|vulnerability/rules|threat-exception/action", THREAT_ACTIONS),
  choice("profiles/spyware/botnet-domains/**/action", "alert allow block sinkhole"),
  choice("profiles/url-filtering/credential-enforcement/mode", "disabled ip-user domain-credentials group-mapping"),
  choice("profiles/data-objects/pattern-type", "predefined regex file-properties"),
  choice("profiles/dos-protection/flood/tcp-syn", "red syn-cookies"),
  choice("zone/network", "layer3 layer2 virtual-wire tap external tunnel"),
  choice("authentication-profile/method", "none local-database radius ldap kerberos tacplus saml-idp cloud"),
  choice("certificate-profile/username-field", "subject subject-alt"),
  choice("server-profile/radius/protocol", "CHAP PAP PEAP-MSCHAPv2 PEAP-with-GTC EAP-TTLS-with-PAP"),
  choice("log-settings/snmptrap/version", "v2c v3"),
  choice("log-settings/*/match-list/actions/type", "tagging integration"),
  choice("log-settings/*/match-list/actions/type/tagging/registration", "localhost panorama remote"),
  choice("admin-role/role", "device vsys panorama"),
  choice("scep/scep-challenge", "none fixed dynamic"),
  choice("vm-info-source/SourceType", "AWS-VPC Google-Compute-Engine VMware-ESXi VMware-vCenter"),
  choice("redistribution-agent", "host-port serial-number"),
  choice("captive-portal|url-admin-override/mode", "transparent redirect"),
  choice("email-scheduler/recurring", "disabled daily weekly monthly"),
];

const OF_RULES = [
  choice(`${RULES}/profile-setting`, "profiles group"),
  choice(`${RULES}/qos/marking`, "ip-dscp ip-precedence follow-c2s-flow"),
  choice(`${RULES}/type`, "ssl-forward-proxy ssh-proxy ssl-inbound-inspection"),
  choice(`${RULES}/source-translation`, "dynamic-ip-and-port dynamic-ip static-ip"),
  choice(`${RULES}/source-translation/dynamic-ip/fallback`, "translated-address interface-address"),
  choice(`${RULES}/source-translation/dynamic-ip-and-port`, "translated-address interface-address"),
  choice(`${RULES}/source-translation/**/interface-address`, "ip floating-ip"),
  choice("rulebase|pre-rulebase|post-rulebase/nat/rules", "destination-translation dynamic-destination-translation"),
  choice("rulebase|pre-rulebase|post-rulebase/pbf|dos/rules/from|to", "zone interface"),
  choice("rulebase|pre-rulebase|post-rulebase/pbf/rules/action", "forward forward-to-vsys discard no-pbf"),
  choice("rulebase|pre-rulebase|post-rulebase/pbf/rules/action/forward/nexthop", "ip-address fqdn"),
  choice("rulebase|pre-rulebase|post-rulebase/dos/rules/action", "deny allow protect"),
];

const OF_NETWORK = [
  choice("network/interface/ethernet", "layer3 layer2 virtual-wire tap ha decrypt-mirror log-card aggregate-group"),
  choice("network/interface/aggregate-ethernet", "layer3 layer2 virtual-wire ha decrypt-mirror"),
  choice("network/interface/ethernet|aggregate-ethernet/layer3", "ip dhcp-client pppoe"),
  choice("network/interface/ethernet|aggregate-ethernet/layer3/units", "ip dhcp-client pppoe"),
  choice("network/interface/vlan", "ip dhcp-client"),
  choice("network/interface/vlan/units", "ip dhcp-client"),
  choice("network/profiles/zone-protection-profile/scan/action", "allow alert block block-ip"),
  choice("network/profiles/zone-protection-profile/scan-white-list", "ipv4 ipv6"),
  choice("network/profiles/zone-protection-profile/flood/tcp-syn", "red syn-cookies"),
  choice("network/ike/gateway/peer-address", "ip fqdn dynamic"),
  choice("network/ike/gateway/authentication", "pre-shared-key certificate"),
  choice("network/ike|tunnel/*/local-address", "ip floating-ip"),
  choice("network/tunnel/ipsec/manual-key/local-address", "ip floating-ip"),
  choice("network/tunnel/ipsec/manual-key/esp/authentication", HASHES),
  choice("network/tunnel/ipsec/manual-key/ah", HASHES),
  choice("network/ike/crypto-profiles/ike-crypto-profiles|ipsec-crypto-profiles/lifetime", "seconds minutes hours days"),
  choice("network/ike/crypto-profiles/ipsec-crypto-profiles/lifesize", "kb mb gb tb"),
  choice("network/ike/crypto-profiles/ipsec-crypto-profiles", "esp ah"),
  choice("network/tunnel/ipsec", "auto-key manual-key global-protect-satellite"),
  choice("network/tunnel/ipsec/manual-key", "esp ah"),
  choice("network/tunnel/ipsec/auto-key/proxy-id|proxy-id-v6/protocol", "number any tcp udp"),
  choice("network/qos/profile/class-bandwidth-type", "mbps percentage"),
  choice("network/dhcp/interface", "server relay"),
  choice("network/interface/**/upstream-nat", "static-ip ddns"),
  choice("network/interface/**/upstream-nat/static-ip", "fqdn ip-address"),
  choice("network/dhcp/interface/server/option/lease", "unlimited timeout"),
  choice(`${ROUTER}/routing-table/ip|ipv6/static-route/nexthop`, "receive discard ip-address ipv6-address fqdn next-vr tunnel"),
  choice(`${ROUTER}/ecmp/algorithm`, "ip-modulo ip-hash weighted-round-robin balanced-round-robin"),
  choice(`${ROUTER}/protocol/redist-profile|redist-profile-ipv6/action`, "no-redist redist"),
  choice(`${ROUTER}/protocol/ospf|ospfv3/area/type`, "normal stub nssa"),
  choice(`${ROUTER}/protocol/ospf|ospfv3/area/type/stub|nssa/default-route`, "disable advertise"),
  choice(`${ROUTER}/protocol/ospf|ospfv3/area/interface/link-type`, "broadcast p2p p2mp"),
  choice(`${ROUTER}/protocol/bgp/peer-group/type`, "ibgp ebgp-confed ibgp-confed ebgp"),
  choice(`${ROUTER}/routing-table/ip|ipv6/static-route/route-table`, "unicast multicast both no-install"),
  choice(`${ROUTER}/protocol/bgp/peer-group/peer/peer-address`, "ip fqdn"),
  choice(`${ROUTER}/protocol/ospf|rip/auth-profile`, "password md5"),
  choice(`${ROUTER}/protocol/ospfv3/auth-profile`, "esp ah"),
  choice(`${ROUTER}/protocol/ospfv3/auth-profile/ah`, HASHES),
  choice(`${ROUTER}/protocol/ospfv3/auth-profile/esp/authentication`, HASHES),
  choice(`${ROUTER}/protocol/bgp/policy/import|export/rules/action`, "allow deny"),
];

const OF_DEVICE = [
  choice(
    "mgt-config/users/permissions/role-based",
    "vsysreader vsysadmin devicereader deviceadmin superreader superuser panorama-admin custom",
  ),
  choice("deviceconfig/system/type", "static dhcp-client"),
  choice("deviceconfig/system/dns-setting", "servers dns-proxy-object"),
  choice("deviceconfig/system/ntp-servers/*/authentication-type", "none symmetric-key autokey"),
  choice("deviceconfig/system/ntp-servers/*/authentication-type/symmetric-key/algorithm", "md5 sha1"),
  choice("deviceconfig/system/snmp-setting/access-setting/version", "v2c v3"),
  choice("deviceconfig/system/log-export-schedule/protocol", "ftp scp"),
  choice(
    "deviceconfig/system/update-schedule/*/recurring",
    "none real-time every-min every-5-mins every-15-mins every-30-mins every-hour hourly daily weekly",
  ),
  choice("deviceconfig/high-availability/group/mode", "active-passive active-active"),
  choice("deviceconfig/high-availability/group/election-option/timers", "recommended aggressive advanced"),
  choice("**/variable/type", "ip-netmask ip-range fqdn group-id interface device-priority device-id egress-max as-number link-tag"),
];

export const CHOICES = [...OF_OBJECTS, ...OF_RULES, ...OF_NETWORK, ...OF_DEVICE];
