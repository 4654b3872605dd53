const list = (tag: string, ...members: readonly string[]): string =>
  `<${tag}>${members.map((text) => `<member>${text}</member>`).join("")}</${tag}>`;
const entry = (name: string, inner: string): string => `<entry name="${name}">${inner}</entry>`;

type Random = () => number;
const pick = <Item>(random: Random, items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;

/** Outside, inside, between, the firewall's own, dropped, without a route; IPv6. */
export const HOSTS = [
  ...["198.51.100.7", "203.0.113.1", "203.0.113.2", "203.0.113.3", "10.0.0.2", "10.0.0.3", "10.1.0.2", "10.1.0.3"],
  ...["192.0.2.9", "10.9.0.1", "172.16.0.1", "2001:db8::2", "2001:db8:1::2"],
];

const OUTSIDE = ["203.0.113.2", "203.0.113.3", "203.0.113.2/31", "public", "publics", "198.51.100.0/24"];
const INSIDE = ["10.0.0.2", "10.1.0.2", "10.0.0.2/31", "10.1.0.2-10.1.0.3", "host", "servers", "pair"];
/** Their content is not defined. */
const UNKNOWN = ["partner", "half", "nobody"];

const OBJECTS = `<address>${[
  entry("public", "<ip-netmask>203.0.113.2</ip-netmask>"),
  entry("host", "<ip-netmask>10.1.0.2/32</ip-netmask>"),
  entry("servers", "<ip-range>10.1.0.2-10.1.0.3</ip-range>"),
  entry("partner", "<fqdn>partner.example.org</fqdn>"),
].join("")}</address><address-group>${[
  entry("publics", list("static", "public", "203.0.113.3/32")),
  entry("pair", list("static", "10.0.0.2", "host")),
  entry("half", list("static", "partner", "10.0.0.3")),
].join("")}</address-group><service>${entry("ssh", "<protocol><tcp><port>22</port></tcp></protocol>")}</service>`;

function rule(random: Random, name: string, unknowns: boolean): string {
  const often = (chance: number, text: () => string): string => (random() < chance ? text() : "");
  const zones = (tag: string) => list(tag, random() < 0.6 ? "any" : pick(random, ["untrust", "trust", "dmz"]));
  const names = (known: readonly string[]) => (unknowns && random() < 0.35 ? UNKNOWN : known);
  const side = (tag: string, known: readonly string[]) =>
    list(tag, ...(random() < 0.3 ? ["any"] : new Set(Array.from({ length: random() < 0.8 ? 1 : 2 }, () => pick(random, names(known))))));
  const port = () => often(0.3, () => "<translated-port>22</translated-port>");
  const address = (known: readonly string[]) => `<translated-address>${pick(random, known)}</translated-address>`;
  const [outward, isBoth] = [random() < 0.4, random() < 0.6];
  const own = `<interface-address><interface>ethernet1/1</interface>${often(0.5, () => "<ip>203.0.113.1/29</ip>")}</interface-address>`;
  const source = () =>
    pick(random, [
      `<static-ip>${address(OUTSIDE)}${isBoth ? "<bi-directional>yes</bi-directional>" : ""}</static-ip>`,
      `<dynamic-ip-and-port>${random() < 0.5 ? own : list("translated-address", "203.0.113.2", "public")}</dynamic-ip-and-port>`,
      `<dynamic-ip>${list("translated-address", "publics")}</dynamic-ip>`,
    ]);
  const destination = () => {
    const tag = random() < 0.25 ? "dynamic-destination-translation" : "destination-translation";
    const target = random() < 0.1 ? "<translated-port>22</translated-port>" : address(names([...INSIDE, ...OUTSIDE])) + port();
    return `<${tag}>${target}</${tag}>`;
  };
  return entry(
    name,
    [
      zones("from") + zones("to") + side("source", outward ? INSIDE : ["198.51.100.7", ...INSIDE]) + side("destination", OUTSIDE),
      `<service>${random() < 0.6 ? "any" : pick(random, ["ssh", "service-https"])}</service>`,
      often(0.2, () => `<to-interface>${pick(random, ["any", "ethernet1/1", "ethernet1/3"])}</to-interface>`),
      often(0.1, () => "<disabled>yes</disabled>"),
      often(0.15, () => `<nat-type>${pick(random, ["ipv4", "ipv4"])}</nat-type>`),
      often(outward ? 0.9 : 0.15, () => `<source-translation>${source()}</source-translation>`),
      often(outward ? 0.1 : 0.85, destination),
    ].join(""),
  );
}

const SECURITY = [
  ["sent", list("destination", "203.0.113.2") + list("service", "service-https"), "allow"],
  ["behind", list("destination", "10.1.0.2"), "deny"],
  ["ssh", list("to", "dmz") + list("service", "ssh"), "deny"],
  ["to-dmz", list("from", "untrust") + list("to", "dmz"), "allow"],
  ["to-trust", list("from", "untrust") + list("to", "trust"), "deny"],
  ["out", list("from", "trust", "dmz") + list("to", "untrust"), "allow"],
].map(([name = "", inner = "", action = ""]) => entry(name, `${inner}<action>${action}</action>`));

/** A firewall of three zones with this many NAT rules. `unknowns`: rules use undefined names; otherwise there may be equal routes. */
export function randomNat(random: Random, rules: number, unknowns: boolean): string {
  const port = (n: number, four: string, six: string) =>
    entry(`ethernet1/${n}`, `<layer3><ip>${entry(four, "")}</ip>${six && `<ipv6><address>${entry(six, "")}</address></ipv6>`}</layer3>`);
  const route = (name: string, to: string, rest: string) => entry(name, `<destination>${to}</destination>${rest}`);
  const via = (address: string) => `<nexthop><ip-address>${address}</ip-address></nexthop>`;
  const routes = [
    route("rest", "192.0.0.0/8", via("203.0.113.6")) + route("out", "198.51.100.0/24", `${via("203.0.113.6")}<metric>20</metric>`),
    route("farther", "198.51.100.0/24", `${via("10.0.0.6")}<metric>30</metric>`),
    route("dropped", "10.9.0.0/16", "<nexthop><discard/></nexthop>"),
    route("near", "192.0.2.0/24", `${via("10.1.0.6")}<interface>ethernet1/3</interface>`),
    unknowns ? "" : route("alike", "192.0.2.0/24", via("10.0.0.6")),
  ];
  const table = `<routing-table><ip><static-route>${routes.join("")}</static-route></ip></routing-table>`;
  const router = entry("default", list("interface", "ethernet1/1", "ethernet1/2", "ethernet1/3") + table);
  const ports = [port(1, "203.0.113.1/29", "2001:db8::1/64"), port(2, "10.0.0.1/24", "2001:db8:1::1/64"), port(3, "10.1.0.1/24", "")].join(
    "",
  );
  const zones = ["untrust", "trust", "dmz"].map((name, n) => entry(name, `<network>${list("layer3", `ethernet1/${n + 1}`)}</network>`));
  const rows = Array.from({ length: rules }, (_, n) => rule(random, `n${n}`, unknowns)).join("");
  return `<config><shared/><devices>${entry(
    "localhost.localdomain",
    `<network><interface><ethernet>${ports}</ethernet></interface><virtual-router>${router}</virtual-router></network><vsys>${entry(
      "vsys1",
      `<zone>${zones.join("")}</zone>${OBJECTS}<rulebase><nat><rules>${rows}</rules></nat><security><rules>${SECURITY.join("")}</rules></security></rulebase>`,
    )}</vsys>`,
  )}</devices></config>`;
}

/** Manual changes of such a firewall, each as a function of its text. */
const EDITS: readonly ((random: Random, xml: string, unknowns: boolean) => string)[] = [
  (random, xml, unknowns) => inNat(xml, (rules) => rules.map((each) => (random() < 0.5 ? each : rule(random, nameOf(each), unknowns)))),
  (random, xml) => inNat(xml, (rules) => rules.filter(() => random() < 0.6)),
  (random, xml, unknowns) => inNat(xml, (rules) => [rule(random, `new${Math.floor(random() * 1000)}`, unknowns), ...rules]),
  (_, xml) => inNat(xml, (rules) => rules.toReversed()),
  (_, xml) => inNat(xml, (rules) => [entry("plain", list("destination", "publics", "203.0.113.2/31")), ...rules]),
  (_, xml) => inNat(xml, ([first = "", ...rules]) => [first.replace("</entry>", "<disabled>yes</disabled></entry>"), ...rules]),
  (_, xml) => xml.replaceAll("<ip-netmask>10.1.0.2/32<", "<ip-netmask>10.0.0.3<"),
  (_, xml) => xml.replace("<ip-range>10.1.0.2-10.1.0.3<", "<ip-range>10.1.0.3-10.1.0.4<"),
  (_, xml) => xml.replace("<ip-netmask>203.0.113.2</", "<ip-netmask>203.0.113.3</"),
  (_, xml) =>
    xml.replace("<ip-address>203.0.113.6</ip-address></nexthop><metric>20", "<ip-address>10.0.0.6</ip-address></nexthop><metric>20"),
  (_, xml) => xml.replace("<metric>30</metric>", "<metric>10</metric>"),
  (_, xml) => xml.replace(/<entry name="near">.*?<\/entry>/, ""),
  (_, xml) => xml.replace("<destination>10.9.0.0/16", "<destination>10.1.0.2/32"),
  (_, xml) =>
    xml
      .replace("<member>ethernet1/2</member></layer3>", "<member>2</member></layer3>")
      .replace("<member>ethernet1/3</member></layer3>", "<member>ethernet1/2</member></layer3>")
      .replace("<member>2<", "<member>ethernet1/3<"),
  (random, xml) => xml.replace(random() < 0.5 ? "<action>deny" : "<action>allow", random() < 0.5 ? "<action>allow" : "<action>deny"),
];

const nameOf = (text: string): string => /^<entry name="(.*?)"/.exec(text)?.[1] ?? "";

/** NAT rules are looked at as texts: an entry within one has no name. */
function inNat(xml: string, edit: (rules: readonly string[]) => readonly string[]): string {
  return xml.replace(/(<nat><rules>)(.*)(<\/rules><\/nat>)/, (_, open: string, rules: string, close: string) => {
    return open + edit(rules.match(/<entry name=.*?<\/entry>/g) ?? []).join("") + close;
  });
}

/** The same firewall after one to three edits. */
export function editedNat(random: Random, xml: string, unknowns: boolean): string {
  return Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(random, EDITS)).reduce(
    (text, edit) => edit(random, text, unknowns),
    xml,
  );
}
