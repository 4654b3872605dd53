/**
 * Containers of a firewall's configuration and valid contents of each, from vendor documentation and client code (pan-os-codegen `specs/`,
 * pan-os-python `panos/*.py`, pango). No line comes from `schemas/`.
 */
export interface Container {
  /** Steps below `/config`. */
  readonly place: string;
  /** Valid contents, as XML. */
  readonly states: readonly string[];
  /** Tags that exclude each other, when they are children of this place. */
  readonly exclusive?: readonly string[];
  /** Tag of a state that remains empty if its content is no longer declared: the mode of an interface. */
  readonly stays?: string;
}

const DEVICE = "devices=localhost.localdomain";
const VSYS = `${DEVICE}/vsys=vsys1`;
const NETWORK = `${DEVICE}/network`;
const ROUTER = `${NETWORK}/virtual-router=default`;
const SYSTEM = `${DEVICE}/deviceconfig/system`;

const IPV4: Pick<Container, "states" | "exclusive"> = {
  states: [
    '<ip><entry name="192.0.2.1/24"/></ip>',
    '<ip><entry name="192.0.2.2/24"/><entry name="198.51.100.1/24"/></ip>',
    "<dhcp-client><enable>yes</enable></dhcp-client>",
    "<dhcp-client><enable>yes</enable><default-route-metric>20</default-route-metric></dhcp-client>",
    "<pppoe><enable>yes</enable><username>u</username></pppoe>",
  ],
  exclusive: ["ip", "dhcp-client", "pppoe"],
};

const NTP_AUTHENTICATION: Pick<Container, "states" | "exclusive"> = {
  states: ["<none/>", "<autokey/>", "<symmetric-key><key-id>5</key-id></symmetric-key>"],
  exclusive: ["none", "symmetric-key", "autokey"],
};

const members = (...texts: string[]): string => texts.map((text) => `<member>${text}</member>`).join("");

/** A rule whose one match list is given. */
function rule(list: string, ...texts: string[]): string {
  const lists = ["from", "to", "source", "destination", "application", "service", "category", "source-user"];
  const content = (tag: string): string => (tag === list ? members(...texts) : members(tag === "service" ? "application-default" : "any"));
  return `${lists.map((tag) => `<${tag}>${content(tag)}</${tag}>`).join("")}<action>allow</action>`;
}

/** Any to members, members to others, to a subset, and back. */
function matchList(list: string, a: string, b: string, c: string): Container {
  return {
    place: `${VSYS}/rulebase/security/rules=${list}-rule`,
    states: [rule(list, "any"), rule(list, a), rule(list, a, b), rule(list, b, c), rule(list, c)],
  };
}

const NAT = members("any");
const nat = (translation: string): string =>
  `<from>${NAT}</from><to>${members("z1")}</to><source>${NAT}</source><destination>${NAT}</destination><service>any</service>${translation}`;

const threatRule = (action: string): string =>
  `<rules><entry name="r"><threat-name>any</threat-name><category>any</category><severity>${NAT}</severity><action>${action}</action></entry></rules>`;

export const CONTAINERS: readonly Container[] = [
  { place: `${NETWORK}/interface/ethernet=ethernet1/1/layer3`, ...IPV4 },
  { place: `${NETWORK}/interface/ethernet=ethernet1/1/layer3/units=ethernet1/1.5`, ...IPV4 },
  { place: `${NETWORK}/interface/aggregate-ethernet=ae1/layer3`, ...IPV4 },
  {
    place: `${NETWORK}/interface/ethernet=ethernet1/2`,
    states: [
      '<layer3><ip><entry name="203.0.113.1/24"/></ip></layer3>',
      "<layer3><mtu>1500</mtu></layer3>",
      "<layer2/>",
      "<virtual-wire/>",
      "<tap/>",
      "<ha/>",
      "<aggregate-group>ae1</aggregate-group>",
    ],
    exclusive: ["layer3", "layer2", "virtual-wire", "tap", "ha", "decrypt-mirror", "log-card", "aggregate-group"],
    stays: "layer3",
  },
  {
    place: `${NETWORK}/qos/profile=p/class-bandwidth-type`,
    states: ["mbps", "percentage"].map(
      (unit) => `<${unit}><class><entry name="class1"><priority>high</priority></entry></class></${unit}>`,
    ),
    exclusive: ["mbps", "percentage"],
  },
  {
    place: `${NETWORK}/dhcp/interface=ethernet1/1`,
    states: [
      "<server><mode>auto</mode></server>",
      "<server><mode>auto</mode><option><lease><unlimited/></lease></option></server>",
      "<server><mode>auto</mode><option><lease><timeout>1440</timeout></lease></option></server>",
      `<relay><ip><enabled>yes</enabled><server>${members("192.0.2.9")}</server></ip></relay>`,
    ],
    exclusive: ["server", "relay"],
  },
  {
    place: `${NETWORK}/dhcp/interface=ethernet1/2/server/option/lease`,
    states: ["<unlimited/>", "<timeout>1440</timeout>"],
    exclusive: ["unlimited", "timeout"],
  },
  {
    place: `${ROUTER}/protocol/bgp/peer-group=g/type`,
    states: ["ebgp", "ibgp", "ebgp-confed", "ibgp-confed"].map((type) => `<${type}><export-nexthop>resolve</export-nexthop></${type}>`),
    exclusive: ["ebgp", "ibgp", "ebgp-confed", "ibgp-confed"],
  },
  { place: `${ROUTER}/protocol/redist-profile=p/action`, states: ["<redist/>", "<no-redist/>"], exclusive: ["redist", "no-redist"] },
  { place: `${ROUTER}/protocol/bgp/policy/import/rules=r/action`, states: ["<allow/>", "<deny/>"], exclusive: ["allow", "deny"] },
  {
    place: `${ROUTER}/protocol/ospf/area=0.0.0.0/type`,
    states: ["<normal/>", "<stub/>", "<nssa/>"],
    exclusive: ["normal", "stub", "nssa"],
  },
  {
    place: `${ROUTER}/protocol/ospf/area=0.0.0.1/interface=ethernet1/1/link-type`,
    states: ["<broadcast/>", "<p2p/>", "<p2mp/>"],
    exclusive: ["broadcast", "p2p", "p2mp"],
  },
  { place: `${ROUTER}/protocol/bgp`, states: ["<enable>yes</enable>", "<enable>yes</enable><router-id>192.0.2.1</router-id>"] },
  {
    place: `${ROUTER}/ecmp/algorithm`,
    states: [
      "<ip-modulo/>",
      "<ip-hash><src-only>yes</src-only></ip-hash>",
      "<ip-hash><use-port>yes</use-port></ip-hash>",
      '<weighted-round-robin><interface><entry name="ethernet1/1"><weight>5</weight></entry></interface></weighted-round-robin>',
      "<balanced-round-robin/>",
    ],
    exclusive: ["ip-modulo", "ip-hash", "weighted-round-robin", "balanced-round-robin"],
  },
  { place: `${ROUTER}/ecmp`, states: ["<enable>yes</enable>", "<enable>yes</enable><algorithm><ip-modulo/></algorithm>"] },
  {
    place: `${ROUTER}/routing-table/ip/static-route=r/nexthop`,
    states: ["<ip-address>192.0.2.254</ip-address>", "<next-vr>other</next-vr>", "<discard/>"],
    exclusive: ["ip-address", "ipv6-address", "fqdn", "next-vr", "discard", "receive"],
  },
  {
    place: `${NETWORK}/ike/gateway=g/peer-address`,
    states: ["<ip>192.0.2.7</ip>", "<fqdn>peer.example.com</fqdn>", "<dynamic/>"],
    exclusive: ["ip", "fqdn", "dynamic"],
  },
  {
    place: `${NETWORK}/ike/crypto-profiles/ike-crypto-profiles=c/lifetime`,
    states: ["<hours>8</hours>", "<days>1</days>", "<seconds>28800</seconds>"],
    exclusive: ["seconds", "minutes", "hours", "days"],
  },
  {
    place: `${NETWORK}/ike/crypto-profiles/ipsec-crypto-profiles=c`,
    states: [
      `<esp><encryption>${members("aes-256-gcm")}</encryption><authentication>${members("none")}</authentication></esp>`,
      `<ah><authentication>${members("sha256")}</authentication></ah>`,
    ],
    exclusive: ["esp", "ah"],
  },
  {
    place: `${NETWORK}/profiles/zone-protection-profile=z/scan=8001/action`,
    states: ["<allow/>", "<alert/>", "<block/>", "<block-ip><track-by>source</track-by><duration>60</duration></block-ip>"],
    exclusive: ["allow", "alert", "block", "block-ip"],
  },
  {
    place: `${SYSTEM}/dns-setting`,
    states: [
      "<servers><primary>192.0.2.53</primary></servers>",
      "<servers><primary>192.0.2.53</primary><secondary>192.0.2.54</secondary></servers>",
    ],
  },
  { place: `${SYSTEM}/ntp-servers/primary-ntp-server/authentication-type`, ...NTP_AUTHENTICATION },
  { place: `${SYSTEM}/ntp-servers/secondary-ntp-server/authentication-type`, ...NTP_AUTHENTICATION },
  {
    place: `${SYSTEM}/snmp-setting/access-setting/version`,
    states: ["<v2c><snmp-community-string>c</snmp-community-string></v2c>", "<v3/>"],
    exclusive: ["v2c", "v3"],
  },
  {
    place: `${SYSTEM}/update-schedule/threats/recurring`,
    states: [
      "<daily><at>02:00</at><action>download-only</action></daily>",
      "<weekly><day-of-week>sunday</day-of-week><at>02:00</at><action>download-only</action></weekly>",
      "<hourly><at>5</at><action>download-only</action></hourly>",
    ],
    exclusive: ["none", "every-30-mins", "hourly", "daily", "weekly"],
  },
  {
    place: `${VSYS}/address=t-addr`,
    states: ["<ip-netmask>192.0.2.1</ip-netmask>", "<fqdn>a.example.com</fqdn>", "<ip-range>192.0.2.1-192.0.2.9</ip-range>"],
    exclusive: ["ip-netmask", "ip-range", "ip-wildcard", "fqdn"],
  },
  {
    place: `${VSYS}/address-group=t-group`,
    states: [`<static>${members("a1")}</static>`, `<static>${members("a1", "a2")}</static>`, "<dynamic><filter>'x'</filter></dynamic>"],
    exclusive: ["static", "dynamic"],
  },
  {
    place: `${VSYS}/service=t-service/protocol`,
    states: [
      "<tcp><port>80</port></tcp>",
      "<tcp><port>80</port><override><no/></override></tcp>",
      "<tcp><port>80</port><override><yes><timeout>60</timeout></yes></override></tcp>",
      "<udp><port>53</port></udp>",
    ],
    exclusive: ["tcp", "udp", "sctp"],
  },
  {
    place: `${VSYS}/application=t-app/default`,
    states: [
      `<port>${members("tcp/8443")}</port>`,
      "<ident-by-ip-protocol>50</ident-by-ip-protocol>",
      "<ident-by-icmp-type><type>8</type></ident-by-icmp-type>",
    ],
    exclusive: ["port", "ident-by-ip-protocol", "ident-by-icmp-type", "ident-by-icmp6-type"],
  },
  {
    place: `${VSYS}/schedule=t-schedule/schedule-type`,
    states: [
      `<recurring><daily>${members("09:00-17:00")}</daily></recurring>`,
      `<recurring><weekly><monday>${members("09:00-17:00")}</monday></weekly></recurring>`,
      `<non-recurring>${members("2026/01/01@00:00-2026/01/02@00:00")}</non-recurring>`,
    ],
    exclusive: ["recurring", "non-recurring"],
  },
  {
    place: `${VSYS}/external-list=t-list/type`,
    states: ["ip", "domain", "url"].map((type) => `<${type}><url>https://example.com/l</url><recurring><hourly/></recurring></${type}>`),
    exclusive: ["ip", "domain", "url", "predefined-ip", "predefined-url", "imsi", "imei"],
  },
  {
    place: `${VSYS}/external-list=t-list2/type/ip`,
    states: [
      "<url>https://example.com/l</url><recurring><hourly/></recurring>",
      "<url>https://example.com/l</url><recurring><daily><at>02</at></daily></recurring>",
      "<url>https://example.com/l</url><recurring><five-minute/></recurring>",
    ],
  },
  {
    place: `${VSYS}/zone=t-zone/network`,
    states: [
      `<layer3>${members("ethernet1/3")}</layer3>`,
      `<layer3>${members("ethernet1/3", "ethernet1/4")}</layer3>`,
      `<layer2>${members("ethernet1/5")}</layer2>`,
      "<tunnel/>",
    ],
    exclusive: ["layer3", "layer2", "virtual-wire", "tap", "external", "tunnel"],
  },
  {
    place: `${VSYS}/profiles/vulnerability=t-v`,
    states: ["<default/>", "<alert/>", "<block-ip><track-by>source</track-by><duration>60</duration></block-ip>", "<reset-both/>"].map(
      threatRule,
    ),
  },
  {
    place: `${VSYS}/profiles/data-objects=d/pattern-type`,
    states: ['<regex><pattern><entry name="p"><regex>x</regex></entry></pattern></regex>', "<predefined/>", "<file-properties/>"],
    exclusive: ["regex", "predefined", "file-properties"],
  },
  {
    place: "shared/admin-role=r/role",
    states: ["device", "vsys"].map((kind) => `<${kind}><webui><dashboard>enable</dashboard></webui></${kind}>`),
    exclusive: ["device", "vsys"],
  },
  {
    place: "shared/authentication-profile=t-auth/method",
    states: ["<none/>", "<local-database/>", "<radius><checkgroup>no</checkgroup></radius>"],
    exclusive: ["none", "local-database", "radius", "ldap", "kerberos", "tacplus", "saml-idp", "cloud"],
  },
  matchList("source", "a1", "a2", "a3"),
  matchList("destination", "a1", "a2", "a3"),
  matchList("from", "z1", "z2", "z3"),
  matchList("to", "z1", "z2", "z3"),
  matchList("application", "app1", "app2", "app3"),
  matchList("service", "s1", "s2", "s3"),
  matchList("source-user", "u1", "u2", "u3"),
  {
    place: `${VSYS}/rulebase/security/rules=t-profiles`,
    states: [
      rule("", ""),
      `${rule("", "")}<profile-setting><group>${members("pg1")}</group></profile-setting>`,
      `${rule("", "")}<profile-setting><group>${members("pg2")}</group></profile-setting>`,
      `${rule("", "")}<profile-setting><profiles><virus>${members("v1")}</virus></profiles></profile-setting>`,
      `${rule("", "")}<profile-setting><profiles><virus>${members("v2")}</virus></profiles></profile-setting>`,
    ],
  },
  {
    place: `${VSYS}/rulebase/nat/rules=t-nat`,
    states: [
      nat(""),
      nat(
        `<source-translation><dynamic-ip-and-port><translated-address>${members("a1")}</translated-address></dynamic-ip-and-port></source-translation>`,
      ),
      nat(
        "<source-translation><dynamic-ip-and-port><interface-address><interface>ethernet1/3</interface></interface-address></dynamic-ip-and-port></source-translation>",
      ),
      nat(`<source-translation><dynamic-ip><translated-address>${members("a1")}</translated-address></dynamic-ip></source-translation>`),
      nat("<source-translation><static-ip><translated-address>a2</translated-address></static-ip></source-translation>"),
      nat("<destination-translation><translated-address>a2</translated-address></destination-translation>"),
      nat("<dynamic-destination-translation><translated-address>a2</translated-address></dynamic-destination-translation>"),
    ],
  },
  {
    place: `${VSYS}/rulebase/pbf/rules=t-pbf`,
    states: [
      `<from><zone>${members("z1")}</zone></from>`,
      `<from><zone>${members("z2")}</zone></from>`,
      `<from><interface>${members("ethernet1/3")}</interface></from>`,
    ].flatMap((from) =>
      ["<discard/>", "<no-pbf/>", "<forward><egress-interface>ethernet1/3</egress-interface></forward>"].map(
        (action) =>
          `${from}<source>${NAT}</source><destination>${NAT}</destination><application>${NAT}</application><service>${NAT}</service><action>${action}</action>`,
      ),
    ),
  },
];

const entries = (names: readonly string[], content: string): string =>
  names.map((name) => `<entry name="${name}">${content}</entry>`).join("");

/** Configuration of another administrator: all objects that the contents above refer to, and the entries that contain declarations. */
export const OTHERS = `<config>
  <shared/>
  <devices><entry name="localhost.localdomain">
    <deviceconfig><system><hostname>fw</hostname></system></deviceconfig>
    <network>
      <interface>
        <ethernet>${entries(["ethernet1/1", "ethernet1/3", "ethernet1/4"], "<layer3/>")}<entry name="ethernet1/2"/>${entries(["ethernet1/5"], "<layer2/>")}</ethernet>
        <aggregate-ethernet>${entries(["ae1"], "<layer3/>")}</aggregate-ethernet>
      </interface>
      <virtual-router>${entries(["default", "other"], "")}</virtual-router>
    </network>
    <vsys><entry name="vsys1">
      <import><network><interface>${members("ethernet1/1", "ethernet1/3", "ethernet1/4", "ethernet1/5")}</interface></network></import>
      <address>${entries(["a1", "a2", "a3"], "<ip-netmask>192.0.2.5</ip-netmask>")}</address>
      <service>${entries(["s1", "s2", "s3"], "<protocol><tcp><port>1</port></tcp></protocol>")}</service>
      <application>${entries(["app1", "app2", "app3"], "<category>general-internet</category>")}</application>
      <zone>${entries(["z1", "z2", "z3"], "<network><layer3/></network>")}</zone>
      <profile-group>${entries(["pg1", "pg2"], "")}</profile-group>
      <profiles><virus>${entries(["v1", "v2"], "")}</virus></profiles>
    </entry></vsys>
  </entry></devices>
</config>`;
