import { parseXml } from "../../../src/core/tree/xml/parse.js";
import type { TargetConfiguration } from "../../../src/desired/configuration/configuration.js";
import { panosPolicies } from "../../../src/targets/panos/policy-role.js";
import type { Change, World } from "./worlds.js";

const list = (tag: string, members: readonly string[]) => `<${tag}>${members.map((each) => `<member>${each}</member>`).join("")}</${tag}>`;

const ANY = {
  from: ["a"],
  to: ["b"],
  source: ["any"],
  "source-user": ["any"],
  application: ["any"],
  service: ["any"],
  category: ["any"],
} as const;
let last = 0;
const rule = (name: string, matches: Readonly<Record<string, readonly string[]>>, more = "") =>
  `<entry name="${name}">${Object.entries({ ...ANY, destination: [`10.2.${++last}.0/24`], ...matches })
    .map(([tag, members]) => list(tag, members))
    .join("")}<action>allow</action>${more}</entry>`;

const SECURITY = [
  rule("r", { source: ["10.1.9.0/24"], destination: ["10.2.0.0/24"] }),
  rule("by-group", { source: ["g", "tagged"] }),
  rule("by-tag", { source: ["dag"] }),
  rule("by-region", { source: ["reg"] }),
  rule("by-list", { source: ["list"] }),
  rule("by-category", { category: ["list", "cat"] }),
  rule("by-name", { destination: ["web"] }),
  rule("by-service", { service: ["s", "sg"] }),
  rule("by-application", { application: ["app", "apps", "filter"], service: ["application-default"] }),
  rule("by-time", {}, "<schedule>sch</schedule>"),
  rule("by-host", { "source-hip": ["hp"] }),
  rule("by-device", { "source-hip": ["dev"] }),
  rule("by-user", { "source-user": ["admins"] }),
  rule("by-subscriber", { "source-imsi": ["list"] }),
  rule("by-profile", {}, "<profile-setting><group><member>one</member></group></profile-setting>"),
].join("");

const OBJECTS = `
  <address>
    <entry name="h"><ip-netmask>10.1.0.5</ip-netmask><tag><member>office</member></tag></entry>
    <entry name="h2"><ip-netmask>10.1.0.6</ip-netmask></entry>
    <entry name="web"><fqdn>web.example</fqdn></entry>
    <entry name="two"><ip-netmask>10.1.0.7</ip-netmask></entry>
  </address>
  <address-group>
    <entry name="g">${list("static", ["h"])}</entry>
    <entry name="tagged">${list("static", ["h2"])}${list("tag", ["office"])}</entry>
    <entry name="dag"><dynamic><filter>'office'</filter></dynamic></entry>
  </address-group>
  <region><entry name="reg">${list("address", ["10.5.0.0/16"])}</entry></region>
  <external-list><entry name="list"><type><ip><url>https://lists.example/a</url></ip></type></entry></external-list>
  <service>
    <entry name="s"><protocol><tcp><port>80</port></tcp></protocol></entry>
    <entry name="s2"><protocol><tcp><port>8080</port></tcp></protocol></entry>
  </service>
  <service-group><entry name="sg">${list("members", ["s2"])}</entry></service-group>
  <application>
    <entry name="app"><default>${list("port", ["tcp/1000"])}</default></entry>
    <entry name="app2"><default>${list("port", ["tcp/2000"])}</default></entry>
  </application>
  <application-group><entry name="apps">${list("members", ["app2"])}</entry></application-group>
  <application-filter><entry name="filter">${list("category", ["media"])}</entry></application-filter>
  <schedule><entry name="sch"><schedule-type><recurring>${list("daily", ["08:00-18:00"])}</recurring></schedule-type></entry></schedule>
  <device-object><entry name="dev">${list("vendor", ["one"])}</entry></device-object>
  <dynamic-user-group><entry name="admins"><filter>'admin'</filter></entry></dynamic-user-group>
  <profiles>
    <hip-objects><entry name="ho"/></hip-objects>
    <hip-profiles><entry name="hp"><match>"ho"</match></entry></hip-profiles>
    <custom-url-category><entry name="cat">${list("list", ["a.example"])}</entry></custom-url-category>
  </profiles>`;

const NAT = `<entry name="r">${list("from", ["a"])}${list("to", ["b"])}${list("source", ["any"])}${list("destination", ["10.2.0.5"])}<service>any</service></entry>`;

const OTHERS = ["decryption", "pbf", "dos", "authentication", "captive-portal", "application-override", "tunnel-inspect", "sdwan"];
const otherRules = (tag: string) =>
  `<${tag}><rules><entry name="r">${list("source", ["any"])}${list("destination", ["any"])}</entry></rules></${tag}>`;

const RULES = `
  <security><rules>${SECURITY}</rules></security>
  <default-security-rules><rules><entry name="interzone-default"><action>deny</action></entry></rules></default-security-rules>
  <nat><rules>${NAT}</rules></nat>
  ${OTHERS.map(otherRules).join("")}`;

const ZONES = `
  <zone>
    <entry name="a"><network><zone-protection-profile>one</zone-protection-profile>${list("layer3", ["ethernet1/1"])}</network></entry>
    <entry name="b"><network>${list("layer3", ["ethernet1/2"])}</network></entry>
  </zone>
  <import><network>${list("interface", ["ethernet1/1", "ethernet1/2"])}${list("virtual-router", ["router"])}</network></import>`;

const ethernet = (name: string, address: string) => `<entry name="${name}"><layer3><ip><entry name="${address}"/></ip></layer3></entry>`;
const NETWORK = `
  <network>
    <interface><ethernet>${ethernet("ethernet1/1", "10.1.0.1/16")}${ethernet("ethernet1/2", "10.2.0.1/16")}</ethernet></interface>
    <virtual-router><entry name="router">${list("interface", ["ethernet1/1", "ethernet1/2"])}<routing-table><ip><static-route>
      <entry name="route"><destination>10.9.0.0/16</destination><nexthop><ip-address>10.2.0.9</ip-address></nexthop></entry>
      <entry name="other"><destination>10.9.0.0/16</destination><nexthop><ip-address>10.1.0.9</ip-address></nexthop><metric>15</metric></entry>
    </static-route></ip></routing-table></entry>
    <entry name="transit"><routing-table><ip><static-route>
      <entry name="out"><destination>0.0.0.0/0</destination><interface>ethernet1/1</interface></entry>
    </static-route></ip></routing-table></entry></virtual-router>
  </network>`;

const NAMES = {
  devices: "localhost.localdomain",
  vsys: "vsys1",
  address: "h",
  "address-group": "g",
  region: "reg",
  "external-list": "list",
  service: "s",
  "service-group": "sg",
  application: "app",
  "application-group": "apps",
  "application-filter": "filter",
  schedule: "sch",
  "device-object": "dev",
  "dynamic-user-group": "admins",
  "hip-objects": "ho",
  "hip-profiles": "hp",
  "custom-url-category": "cat",
  zone: "a",
  rules: "r",
  ethernet: "ethernet1/1",
  "virtual-router": "router",
  "static-route": "route",
};

const configuration = { kind: "panos", reading: {} } as unknown as TargetConfiguration;

/** A firewall whose objects are in its virtual system. */
export const firewall: World = {
  role: panosPolicies,
  configuration,
  names: NAMES,
  tree: parseXml(
    `<config><shared/><devices><entry name="localhost.localdomain"><deviceconfig/>${NETWORK}<vsys><entry name="vsys1">${ZONES}${OBJECTS}<rulebase>${RULES}</rulebase></entry></vsys></entry></devices></config>`,
  ),
};

/** A firewall whose objects are shared. */
export const sharing: World = {
  ...firewall,
  tree: parseXml(
    `<config><shared>${OBJECTS}</shared><devices><entry name="localhost.localdomain"><deviceconfig/>${NETWORK}<vsys><entry name="vsys1">${ZONES}<rulebase>${RULES}</rulebase></entry></vsys></entry></devices></config>`,
  ),
};

const USES_VARIABLE = `<entry name="named"><destination>10.8.0.0/16</destination><nexthop><fqdn>$one</fqdn></nexthop></entry></static-route>`;

/** A manager with one device group and one firewall, whose zones and routes are in a template. */
export const manager: World = {
  ...firewall,
  names: { ...NAMES, firewalls: "001", "device-group": "dg", template: "t", "template-stack": "st", variable: "$one" },
  tree: parseXml(
    `<config><shared/><devices><entry name="localhost.localdomain">
      <device-group><entry name="dg"><devices><entry name="001"/></devices>${OBJECTS}<pre-rulebase>${RULES}</pre-rulebase></entry></device-group>
      <template>
        <entry name="t"><config><devices><entry name="localhost.localdomain"><deviceconfig/>${NETWORK.replace("</static-route>", USES_VARIABLE)}<vsys><entry name="vsys1">${ZONES}</entry></vsys></entry></devices></config></entry>
        <entry name="other"><config><devices><entry name="localhost.localdomain"><vsys><entry name="vsys1"><zone><entry name="c"><network>${list("layer3", ["ethernet1/9"])}</network></entry></zone></entry></vsys></entry></devices></config></entry>
      </template>
      <template-stack><entry name="st">${list("templates", ["t"])}<devices><entry name="001"/></devices></entry></template-stack>
    </entry></devices></config>`,
  ),
};

/** Values of fields whose texts must name other objects, or be of a form. The first pattern that matches is used. */
export const VALUES: readonly (readonly [pattern: string, change: Change])[] = [
  ["rulebase/*/rules/*/target/devices/*/vsys", { before: undefined, after: "vsys2" }],
  ["rulebase/*/rules/*/target/negate", { before: "no", after: "yes" }],
  ["device-group/*/devices/*/vsys", { before: undefined, after: "vsys2" }],
  ["template-stack/*/templates", { before: ["t"], after: ["other", "t"] }],
  ["scope/address/*/ip-netmask", { before: "10.1.0.5", after: "10.1.0.9" }],
  ["scope/address/*/ip-range", { before: "10.1.0.5-10.1.0.7", after: "10.1.0.5-10.1.0.9" }],
  ["scope/address/*/ip-wildcard", { before: "10.1.0.0/0.0.0.3", after: "10.1.0.0/0.0.0.7" }],
  ["scope/address/*/tag", { before: ["office"], after: ["guest"] }],
  ["scope/address-group/*/static", { before: ["h"], after: ["h2"] }],
  ["scope/address-group/*/dynamic/filter", { before: "'office'", after: "'guest'", names: { "address-group": "dag" } }],
  ["scope/address-group/*/tag", { before: ["office"], after: ["guest"], names: { "address-group": "tagged" } }],
  ["scope/region/*/address", { before: ["10.5.0.0/16"], after: ["10.6.0.0/16"] }],
  ["scope/service/*/protocol/*/port", { before: "80", after: "81" }],
  ["scope/service/*/protocol/*/source-port", { before: "1000", after: "1001" }],
  ["scope/service-group/*/members", { before: ["s2"], after: ["s"] }],
  ["scope/application/*/default/port", { before: ["tcp/1000"], after: ["tcp/1001"] }],
  ["scope/application/*/default/ident-by-ip-protocol", { before: "47", after: "50" }],
  ["scope/application-group/*/members", { before: ["app2"], after: ["app"] }],
  ["scope/profiles/hip-profiles/*/match", { before: '"ho"', after: 'not "ho"' }],
  ["rulebase/*/rules/*/disabled", { before: "no", after: "yes" }],
  ["rulebase/*/rules/*/negate-source|negate-destination", { before: "no", after: "yes" }],
  ["rulebase/*/rules/*/from|to", { before: ["a"], after: ["b"] }],
  ["rulebase/*/rules/*/source|destination", { before: ["h"], after: ["h2"] }],
  ["rulebase/security/rules/*/rule-type", { before: "universal", after: "intrazone" }],
  ["rulebase/security/rules/*/application", { before: ["app"], after: ["app2"] }],
  ["rulebase/security/rules/*/service", { before: ["s"], after: ["s2"] }],
  ["rulebase/security/rules/*/action", { before: "allow", after: "deny" }],
  ["rulebase/*/rules/*/log-start|log-end", { before: "no", after: "yes" }],
  ["rulebase/default-security-rules/rules/*/action", { before: "deny", after: "allow", names: { rules: "interzone-default" } }],
  ["rulebase/default-security-rules/rules/*/log-end|log-start", { before: "no", after: "yes", names: { rules: "interzone-default" } }],
  ["rulebase/nat/rules/*/service", { before: "s", after: "s2" }],
  ["rulebase/nat/rules/*/source-translation/static-ip/bi-directional", { before: "no", after: "yes" }],
  ["rulebase/nat/rules/*/**/translated-address", { before: "10.2.0.7", after: "10.2.0.8" }],
  ["rulebase/nat/rules/*/**/translated-port", { before: "80", after: "81" }],
  ["network/virtual-router/*/routing-table/ip/static-route/*/metric|admin-dist", { before: "10", after: "20" }],
  ["network/virtual-router/*/routing-table/ip/static-route/*/nexthop/next-vr", { before: "transit", after: "none" }],
  ["network/logical-router/*/vrf/*/interface", { before: ["ethernet1/1"], after: ["ethernet1/2"] }],
  ["network/virtual-router/*/interface", { before: ["ethernet1/1", "ethernet1/2"], after: ["ethernet1/1"] }],
];
