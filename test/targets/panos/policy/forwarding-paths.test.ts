import { describe, expect, it } from "vitest";
import type { TreeNode } from "../../../../src/core/tree/node.js";
import { parseXml } from "../../../../src/core/tree/xml/parse.js";
import { judge } from "../../../../src/lab/panos/traffic/judge.js";
import { routeOf } from "../../../../src/lab/panos/traffic/route.js";
import { natRuleOf } from "../../../../src/lab/panos/traffic/translate.js";
import type { FlowPath } from "../../../../src/outcome/reach.js";
import type { FlowQuestion } from "../../../../src/reachability/policy-role.js";
import { pathIn } from "../../../../src/reachability/questions/format-reach.js";
import { rulebasesOf } from "../../../../src/targets/panos/policy/policies.js";
import { shuffled } from "../../../shuffled.js";
import { randomOf } from "./random.js";

const list = (tag: string, members: string) =>
  `<${tag}>${members
    .split(" ")
    .map((each) => `<member>${each}</member>`)
    .join("")}</${tag}>`;

interface Said {
  readonly from?: string;
  readonly to?: string;
  readonly source?: string;
  readonly destination?: string;
  readonly more?: string;
}

/** A NAT rule as a device writes it. */
function nat(name: string, { from = "any", to = "untrust", source = "any", destination = "any", more = "" }: Said): string {
  const sides = list("from", from) + list("to", to) + list("source", source) + list("destination", destination);
  return `<entry name="${name}">${sides}${more.includes("<service>") ? "" : "<service>any</service>"}${more}</entry>`;
}

const allow = (name: string, from: string, to: string, destination = "any", service = "any") =>
  `<entry name="${name}">${list("from", from)}${list("to", to)}${list("source", "any")}${list("destination", destination)}${list("service", service)}${list("application", "any")}<action>allow</action></entry>`;

const layer3 = (name: string, address: string) => `<entry name="${name}"><layer3><ip><entry name="${address}"/></ip></layer3></entry>`;
const zone = (name: string, interfaces: string) => `<entry name="${name}"><network>${list("layer3", interfaces)}</network></entry>`;
const route = (name: string, to: string, rest: string) => `<entry name="${name}"><destination>${to}</destination>${rest}</entry>`;
const hop = (address: string) => `<nexthop><ip-address>${address}</ip-address></nexthop>`;
const netmask = (name: string, text: string) => `<entry name="${name}"><ip-netmask>${text}</ip-netmask></entry>`;

const RULES = [
  nat("off", {
    more: "<disabled>yes</disabled><destination-translation><translated-address>10.9.9.9</translated-address></destination-translation>",
  }),
  nat("web-in", {
    destination: "203.0.113.10",
    more: "<service>service-https</service><destination-translation><translated-address>web-01</translated-address><translated-port>8443</translated-port></destination-translation>",
  }),
  nat("range-in", {
    destination: "203.0.113.32/29",
    more: "<destination-translation><translated-address>10.1.0.32/29</translated-address></destination-translation>",
  }),
  nat("pool-in", {
    destination: "203.0.113.50",
    more: "<dynamic-destination-translation><translated-address>pool</translated-address></dynamic-destination-translation>",
  }),
  nat("name-in", {
    source: "partner",
    destination: "203.0.113.60",
    more: "<destination-translation><translated-address>10.1.0.60</translated-address></destination-translation>",
  }),
  nat("mail", {
    from: "dmz",
    source: "10.1.0.25",
    more: "<source-translation><static-ip><translated-address>203.0.113.25</translated-address><bi-directional>yes</bi-directional></static-ip></source-translation>",
  }),
  nat("no-nat", { from: "trust", destination: "198.51.100.0/24" }),
  nat("out", {
    from: "trust",
    more: "<source-translation><dynamic-ip-and-port><interface-address><interface>ethernet1/1</interface></interface-address></dynamic-ip-and-port></source-translation>",
  }),
];

const SECURITY = [
  allow("web", "untrust", "dmz", "203.0.113.10", "service-https"),
  allow("mail", "untrust", "dmz", "203.0.113.25"),
  allow("out", "trust", "untrust"),
];

function config({ rules = RULES, routes = "", protocol = "", more = "", routers = "" } = {}): TreeNode {
  const interfaces = [
    layer3("ethernet1/1", "203.0.113.1/24"),
    layer3("ethernet1/2", "10.0.0.1/24"),
    layer3("ethernet1/3", "10.1.0.1/24"),
    layer3("ethernet1/5", "10.5.0.1/24"),
  ];
  const fixed = [
    route("default", "0.0.0.0/0", `${hop("203.0.113.254")}<metric>10</metric>`),
    route("branches", "10.2.0.0/16", `${hop("10.0.0.2")}<interface>ethernet1/2</interface>`),
    route("nowhere", "10.2.66.0/24", "<nexthop><discard/></nexthop>"),
  ];
  const router = `<entry name="default">${list("interface", "ethernet1/1 ethernet1/2 ethernet1/3 ethernet1/4")}${protocol}<routing-table><ip><static-route>${fixed.join("")}${routes}</static-route></ip></routing-table></entry>`;
  const network = `<network><interface><ethernet>${interfaces.join("")}</ethernet></interface><virtual-router>${router}${routers}</virtual-router></network>`;
  const zones = zone("untrust", "ethernet1/1") + zone("trust", "ethernet1/2") + zone("dmz", "ethernet1/3") + zone("lab", "ethernet1/5");
  const addresses =
    netmask("web-01", "10.1.0.5") +
    netmask("pool-1", "10.1.0.7") +
    netmask("pool-2", "10.0.0.7") +
    `<entry name="partner"><fqdn>partner.example.org</fqdn></entry>`;
  const groups = `<entry name="pool">${list("static", "pool-1 pool-2")}</entry>`;
  const rulebase = `<rulebase><nat><rules>${rules.join("")}</rules></nat><security><rules>${SECURITY.join("")}</rules></security>${more}</rulebase>`;
  return parseXml(
    `<config><shared/><devices><entry name="localhost.localdomain">${network}<vsys><entry name="vsys1"><address>${addresses}</address><address-group>${groups}</address-group><zone>${zones}</zone>${rulebase}</entry></vsys></entry></devices></config>`,
  );
}

function follow(source: string, destination: string, service = "tcp/443", tree = config(), from: readonly string[] = []): FlowPath {
  const question: FlowQuestion = { from, to: [], source: [source], destination: [destination], service: [service], application: [] };
  const [rulebase] = rulebasesOf([tree]);
  const [policy] = rulebase?.policies() ?? [];
  const path = rulebase === undefined || policy === undefined ? undefined : pathIn(policy, rulebase, question);
  if (path === undefined) throw new Error("no path");
  return path;
}

/** One line for each way: zones, translations, the rule, and conditions. */
function told(path: FlowPath): string[] {
  return path.ways.map(({ from, to, translation, ends, conditions, answers }) => {
    const nat = translation && ` [${translation.rule}: ${translation.source ?? "-"} ${translation.destination ?? "-"}]`;
    const said = ends ?? answers.map(({ verdict, rule }) => `${verdict} ${rule}`).join(", ");
    return `${from?.zone ?? "?"} > ${to?.zone ?? "?"}${nat ?? ""} ${said}${conditions.map((each) => ` | ${each}`).join("")}`;
  });
}

describe("a flow as its sender sends it", () => {
  it.each<[string, string, string, string]>([
    ["198.51.100.7", "203.0.113.10", "tcp/443", "untrust > dmz [web-in: - 10.1.0.5:8443] allow web"],
    ["198.51.100.7", "203.0.113.10", "tcp/22", "untrust > untrust allow intrazone-default"],
    ["198.51.100.7", "203.0.113.35", "udp/53", "untrust > dmz [range-in: - 10.1.0.35] deny interzone-default"],
    ["198.51.100.7", "203.0.113.25", "tcp/25", "untrust > dmz [mail (the way back): - 10.1.0.25] allow mail"],
    ["10.1.0.25", "192.0.2.9", "tcp/25", "dmz > untrust [mail: 203.0.113.25 -] deny interzone-default"],
    ["10.2.7.1", "192.0.2.9", "icmp", "trust > untrust [out: the address of ethernet1/1 -] allow out"],
    ["10.0.0.9", "198.51.100.9", "tcp/80", "trust > untrust [no-nat: - -] allow out"],
    ["10.0.0.9", "10.2.66.1", "tcp/80", 'trust > ? the route "nowhere" of default drops it'],
    [
      "198.51.100.7",
      "203.0.113.1",
      "tcp/443",
      "untrust > untrust 203.0.113.1 is the firewall itself (ethernet1/1), and flows to it are not modelled",
    ],
  ])("from %s to %s, %s", (source, destination, service, line) => {
    expect(told(follow(source, destination, service))).toEqual([line]);
  });

  it("follows each possible path: unknown names, alternative addresses", () => {
    expect(told(follow("198.51.100.7", "203.0.113.60"))).toEqual([
      'untrust > dmz [name-in: - 10.1.0.60] deny interzone-default | NAT rule "name-in" matches: partner.example.org (FQDN): the addresses of an FQDN were not read',
      'untrust > untrust allow intrazone-default | NAT rule "name-in" does not match: partner.example.org (FQDN): the addresses of an FQDN were not read',
    ]);
    expect(told(follow("198.51.100.7", "203.0.113.50"))).toEqual([
      "untrust > dmz [pool-in: - pool] deny interzone-default | 10.1.0.7 is taken of 2 addresses",
      "untrust > trust [pool-in: - pool] deny interzone-default | 10.0.0.7 is taken of 2 addresses",
    ]);
  });

  it("reports other knowledge: learned routes, monitored routes, policy-based forwarding, equal routes", () => {
    const learned = config({ protocol: "<protocol><bgp><enable>yes</enable></bgp></protocol>" });
    expect(told(follow("10.0.0.9", "192.0.2.9", "tcp/80", learned))[0]).toContain(
      "bgp of default knows nothing nearer to 192.0.2.9 than 0.0.0.0/0",
    );
    const watched = config({ routes: route("far", "192.0.2.0/24", `${hop("10.1.0.2")}<path-monitor><enable>yes</enable></path-monitor>`) });
    expect(told(follow("10.0.0.9", "192.0.2.9", "tcp/80", watched))).toEqual([
      'trust > dmz deny interzone-default | the monitored route "far" is up',
    ]);
    const alike = config({ routes: route("other", "0.0.0.0/0", `${hop("10.1.0.2")}<metric>10</metric>`) });
    expect(told(follow("10.0.0.9", "192.0.2.9", "tcp/80", alike)).map((line) => line.slice(0, 16))).toEqual([
      "trust > untrust ",
      "trust > dmz deny",
    ]);
    const forwarding = config({ more: `<pbf><rules><entry name="elsewhere"/></rules></pbf>` });
    expect(told(follow("10.0.0.9", "192.0.2.9", "tcp/80", forwarding))[0]).toContain(
      "no rule of policy-based forwarding sends it elsewhere (elsewhere)",
    );
  });

  it("continues from the router of its interface", () => {
    const table = (name: string, interfaces: string, fixed: string) =>
      `<entry name="${name}">${list("interface", interfaces)}<routing-table><ip><static-route>${fixed}</static-route></ip></routing-table></entry>`;
    const next = (name: string) => `<nexthop><next-vr>${name}</next-vr></nexthop>`;
    const routers = table("inner", "ethernet1/5", route("out", "0.0.0.0/0", next("default")));
    const two = config({ routers, routes: route("lab", "10.5.0.0/16", next("inner")) });
    expect(told(follow("10.5.0.9", "192.0.2.9", "tcp/80", two))).toEqual(["lab > untrust deny interzone-default"]);
    expect(told(follow("10.0.0.9", "10.5.0.9", "tcp/80", two))).toEqual(["trust > lab deny interzone-default"]);
  });

  it("enters by the given zone; an unknown one is requested", () => {
    expect(told(follow("192.0.2.1", "203.0.113.10", "tcp/443", config(), ["dmz"]))).toEqual([
      "dmz > dmz [web-in: - 10.1.0.5:8443] allow intrazone-default",
    ]);
    const lost = parseXml(
      "<config><shared/><devices><entry name='localhost.localdomain'><vsys><entry name='vsys1'/></vsys></entry></devices></config>",
    );
    expect(told(follow("192.0.2.1", "203.0.113.10", "tcp/443", lost))[0]).toContain("set it with --from");
    expect(told(follow("192.0.2.1", "203.0.113.10", "tcp/443", lost, ["dmz"]))).toEqual(["? > ? no interface with routes is in zone dmz"]);
  });

  it.each<[string, string, string]>([
    ["10.0.0.0/24", "203.0.113.10", "tcp/443"],
    ["10.0.0.9", "pool", "tcp/443"],
    ["10.0.0.9", "203.0.113.10", "tcp/80-90"],
    ["10.0.0.9", "203.0.113.10", "tcp"],
  ])("is one flow: from %s to %s, %s is refused", (source, destination, service) => {
    expect(() => follow(source, destination, service)).toThrow(expect.objectContaining({ code: "flow-not-understood" }));
  });
});

describe("comparison with the lab, which reads routes and NAT rules independently", () => {
  it("matches the same rules and leaves by the same zones", () => {
    const random = randomOf(7);
    const pick = <Of>(of: readonly Of[]): Of => of[Math.floor(random() * of.length)] as Of;
    const hosts = [
      "198.51.100.7",
      "203.0.113.10",
      "203.0.113.25",
      "203.0.113.33",
      "203.0.113.39",
      "10.0.0.9",
      "10.1.0.25",
      "10.2.3.4",
      "192.0.2.1",
      "10.2.66.1",
    ];
    const zones = new Map([
      ["ethernet1/1", "untrust"],
      ["ethernet1/2", "trust"],
      ["ethernet1/3", "dmz"],
    ]);
    const tree = config({ rules: RULES.filter((rule) => !/name-in|pool-in/.test(rule)) });
    const met = new Set<string>();
    for (let n = 0; n < 100; n++) {
      const plain = RULES.filter((rule) => !/name-in|pool-in/.test(rule));
      const there = n % 4 === 0 ? tree : config({ rules: shuffled(plain, random) });
      const [source, destination, port] = [pick(hosts), pick(hosts), pick([22, 443])];
      const [way, ...more] = follow(source, destination, `tcp/${port}`, there).ways;
      expect(more).toEqual([]);
      const zoneOf = (address: string) => zones.get(routeOf(there, "default", address)?.interface ?? "");
      const [from, to] = [zoneOf(source), zoneOf(destination)];
      expect(way?.from?.zone).toBe(from);
      if (from === undefined || to === undefined) continue;
      const rule = natRuleOf(there, { from, to, source, destination, port });
      expect(way?.translation?.rule.replace(" (the way back)", "")).toBe(rule);
      met.add(rule ?? "none");
      const translated = way?.translation?.destination?.split(":")[0] ?? destination;
      const leaves = zoneOf(translated);
      expect(way?.to?.zone).toBe(leaves);
      if (leaves === undefined || way?.ends !== undefined) continue;
      const { rule: decides } = judge(there, { from, to: leaves, source, destination, application: "any", port });
      expect(way?.answers.map((answer) => answer.rule)).toEqual([decides]);
    }
    expect([...met].sort()).toEqual(["mail", "no-nat", "none", "out", "range-in", "web-in"]);
  });
});
