import type { Facts, Flow } from "./brute.js";

/** Numbers from 0 to below 1, the same for the same seed. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return ((state ^ (state >>> 15)) >>> 0) / 2 ** 32;
  };
}

type Random = () => number;
const pick = <Item>(random: Random, items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
const some = <Item>(random: Random, items: readonly Item[], most: number): Item[] => [
  ...new Set(Array.from({ length: 1 + Math.floor(random() * most) }, () => pick(random, items))),
];
const list = (tag: string, members: readonly string[]): string =>
  `<${tag}>${members.map((text) => `<member>${text}</member>`).join("")}</${tag}>`;
const entry = (name: string, inner: string): string => `<entry name="${name}">${inner}</entry>`;

const ZONES = ["a", "b", "c"];
const APPLICATIONS = ["own-tcp", "own-many", "own-none", "own-ping", "own-gre", "ssl", "dns", "apps", "dynamic-app"];
const FLOW_APPLICATIONS = ["own-tcp", "own-many", "own-none", "own-ping", "own-gre", "ssl", "dns", "dynamic-app", "unheard-of"];
const SERVICES = ["high", "low", "pair", "from-high", "sctp", "services", "service-http", "service-https"];
const ADDRESSES =
  "host net net6 range everything both hidden group outer dynamic region-own list name wildcard nobody-knows 10.0.0.0/30 10.0.0.9 2001:db8::/126 10.0.0.3-10.0.0.6 0.0.0.0/0 ::/0".split(
    " ",
  );
const HOSTS = [
  ...Array.from({ length: 16 }, (_, n) => `10.0.0.${n}`),
  ...Array.from({ length: 8 }, (_, n) => `2001:db8::${n}`),
  "192.0.2.1",
];

const SHARED = `<shared>
  <address>${entry("hidden", "<ip-netmask>10.0.0.1</ip-netmask>")}${entry("far", "<ip-netmask>10.0.0.2</ip-netmask>")}</address>
  <address-group>${entry("group", list("static", ["far"]))}</address-group>
  <external-list>${entry("list", "<type><ip><url>http://lists/one</url></ip></type>")}</external-list>
  <application>${entry("own-many", `<default>${list("port", ["tcp/80,443", "udp/53-54"])}</default>`)}</application>
  <service>${entry("high", "<protocol><tcp><port>80</port></tcp></protocol>")}${entry("sctp", "<protocol><sctp><port>443</port></sctp></protocol>")}</service>
</shared>`;

const OBJECTS = `
  <zone>${ZONES.map((zone) => entry(zone, "")).join("")}</zone>
  <address>${entry("host", "<ip-netmask>10.0.0.4</ip-netmask>")}${entry("net", `<ip-netmask>10.0.0.6/29</ip-netmask>${list("tag", ["t1"])}`)}
    ${entry("net6", "<ip-netmask>2001:db8::4/126</ip-netmask>")}${entry("range", "<ip-range>10.0.0.5-10.0.0.9</ip-range>")}
    ${entry("everything", "<ip-netmask>0.0.0.0/0</ip-netmask>")}${entry("both", "<ip-netmask>::/0</ip-netmask>")}
    ${entry("hidden", `<ip-netmask>10.0.0.12</ip-netmask>${list("tag", ["t1", "t2"])}`)}
    ${entry("name", "<fqdn>Db.Example.org</fqdn>")}${entry("wildcard", "<ip-wildcard>10.0.0.1/0.0.0.10</ip-wildcard>")}</address>
  <address-group>${entry("outer", list("static", ["group", "host", "net6"]))}${entry("dynamic", "<dynamic><filter>'t1'</filter></dynamic>")}</address-group>
  <region>${entry("region-own", list("address", ["10.0.0.13", "10.0.0.14-10.0.0.15"]))}</region>
  <service>${entry("high", "<protocol><tcp><port>1024-65535</port></tcp></protocol>")}${entry("low", "<protocol><udp><port>53</port></udp></protocol>")}
    ${entry("pair", "<protocol><tcp><port>80, 443</port></tcp></protocol>")}
    ${entry("from-high", "<protocol><tcp><port>443</port><source-port>40000-50000</source-port></tcp></protocol>")}</service>
  <service-group>${entry("services", list("members", ["low", "from-high"]))}</service-group>
  <application>${entry("own-tcp", `<default>${list("port", ["tcp/8080"])}</default>`)}${entry("own-none", "<category>x</category>")}
    ${entry("own-ping", "<default><ident-by-icmp-type><type>8</type><code>0</code></ident-by-icmp-type></default>")}
    ${entry("own-gre", "<default><ident-by-ip-protocol>47</ident-by-ip-protocol></default>")}
    ${entry("dynamic-app", `<default>${list("port", ["udp/dynamic"])}</default>`)}</application>
  <application-group>${entry("apps", list("members", ["own-tcp", "ssl"]))}</application-group>
  <schedule>${entry("office", `<schedule-type><recurring>${list("daily", ["08:00-17:00"])}</recurring></schedule-type>`)}</schedule>`;

function rule(random: Random, name: string): string {
  const often = (chance: number, text: () => string): string => (random() < chance ? text() : "");
  const members = (tag: string, known: readonly string[], most = 3): string =>
    random() < 0.4 ? list(tag, ["any"]) : list(tag, some(random, known, most));
  const services = random() < 0.3 ? ["application-default"] : random() < 0.3 ? ["any"] : some(random, SERVICES, 2);
  const parts = [
    often(0.3, () => `<rule-type>${pick(random, ["universal", "intrazone", "interzone"])}</rule-type>`),
    members("from", ZONES),
    members("to", ZONES),
    members("source", ADDRESSES),
    members("destination", ADDRESSES),
    often(0.15, () => "<negate-source>yes</negate-source>"),
    often(0.15, () => "<negate-destination>yes</negate-destination>"),
    often(0.2, () => list("source-user", some(random, ["known-user", "unknown", "pre-logon", "jane", "John", "CN=staff,dc=corp"], 2))),
    random() < 0.5 ? list("application", ["any"]) : list("application", some(random, APPLICATIONS, 2)),
    list("service", services),
    often(0.1, () => "<schedule>office</schedule>"),
    often(0.1, () => list("category", some(random, ["any", "gambling", "news"], 2))),
    often(0.1, () => list("hip-profiles", some(random, ["any", "managed"], 1))),
    often(0.1, () => "<disabled>yes</disabled>"),
    `<action>${pick(random, ["allow", "deny", "drop", "reset-both"])}</action>`,
  ];
  return entry(name, parts.join(""));
}

/** The setting of a device that evaluates wildcards in order. */
const IN_ORDER =
  "<deviceconfig><setting><management><wildcard-topdown-match-mode>yes</wildcard-topdown-match-mode></management></setting></deviceconfig>";

/** A configuration of this many rules over the same objects. */
export function randomConfiguration(random: Random, rules: number, inOrder = false): string {
  const rows = Array.from({ length: rules }, (_, n) => rule(random, `r${n}`)).join("");
  const defaults = random() < 0.3 ? entry("intrazone-default", "<action>deny</action>") : "";
  return `<config>${SHARED}<devices>${entry(
    "localhost.localdomain",
    `${inOrder ? IN_ORDER : ""}<vsys>${entry(
      "vsys1",
      `${OBJECTS}<rulebase><security><rules>${rows}</rules></security><default-security-rules><rules>${defaults}</rules></default-security-rules></rulebase>`,
    )}</vsys>`,
  )}</devices></config>`;
}

export function randomFlow(random: Random): Flow {
  return {
    from: pick(random, ZONES),
    to: pick(random, ZONES),
    source: pick(random, HOSTS),
    destination: pick(random, HOSTS),
    protocol: pick(random, [6, 6, 6, 17, 132, 1, 1, 47, 58]),
    icmpType: pick(random, ["8", "8/0", "0/0"]),
    port: pick(random, [53, 80, 443, 1024, 8080]),
    sourcePort: pick(random, [1000, 45_000, 60_000]),
    application: pick(random, FLOW_APPLICATIONS),
    user: pick(random, ["unknown", "pre-logon", "jane", "john", "somebody"]),
  };
}

export function randomFacts(random: Random): Facts {
  const addresses = () => HOSTS.filter(() => random() < 0.3);
  return {
    addresses: { "Db.Example.org": addresses(), "http://lists/one": addresses(), "'t1'": addresses(), "nobody-knows": addresses() },
    atHome: { ssl: ["tcp/443"], dns: ["udp/53", "tcp/53"], "own-none": ["tcp/80"], "unheard-of": ["tcp/1024"] },
    members: { "cn=staff,dc=corp": ["jane", "john", "somebody"].filter(() => random() < 0.5) },
    holding: new Set(["office", "gambling", "managed"].filter(() => random() < 0.5)),
  };
}
