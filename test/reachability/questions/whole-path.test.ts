import { describe, expect, it } from "vitest";
import { PlumblineError } from "../../../src/core/errors.js";
import type { TreeNode } from "../../../src/core/tree/node.js";
import { parseXml } from "../../../src/core/tree/xml/parse.js";
import type { WholePath } from "../../../src/outcome/whole-path.js";
import { completePaths, type Part } from "../../../src/reachability/questions/whole-path.js";
import { rulebasesOf as controllerRulebases } from "../../../src/targets/contrail/policy/policies.js";
import { rulebasesOf as cloudRulebases } from "../../../src/targets/openstack/policy/policies.js";
import { rulebasesOf as firewallRulebases } from "../../../src/targets/panos/policy/policies.js";

const entry = (name: string, inside: string) => `<entry name="${name}">${inside}</entry>`;
const leaf = (tag: string, text: string) => `<${tag}>${text}</${tag}>`;
const members = (tag: string, texts: readonly string[]) => leaf(tag, texts.map((text) => leaf("member", text)).join(""));

interface Rule {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly service?: string;
  readonly action?: string;
}

interface Firewall {
  /** Interface to zone and address: `ethernet1/1: ["untrust", "203.0.113.1/24"]`. */
  readonly interfaces: Readonly<Record<string, readonly [string, string]>>;
  readonly routes?: Readonly<Record<string, string>>;
  readonly rules?: readonly Rule[];
  readonly nat?: string;
}

function firewall({ interfaces, routes = {}, rules = [], nat = "" }: Firewall): TreeNode {
  const all = Object.entries(interfaces);
  const layer3 = all.map(([name, [, address]]) => entry(name, `<layer3><ip><entry name="${address}"/></ip></layer3>`)).join("");
  const fixed = Object.entries(routes).map(([to, hop], at) =>
    entry(`route-${at}`, `<destination>${to}</destination><nexthop><ip-address>${hop}</ip-address></nexthop>`),
  );
  const names = all.map(([name]) => name);
  const router = entry(
    "default",
    `${members("interface", names)}<routing-table><ip><static-route>${fixed.join("")}</static-route></ip></routing-table>`,
  );
  const zones = all.map(([name, [zone]]) => entry(zone, `<network>${members("layer3", [name])}</network>`)).join("");
  const security = rules.map(({ name, from, to, service = "any", action = "allow" }) => {
    const sides = members("from", [from]) + members("to", [to]) + members("source", ["any"]) + members("destination", ["any"]);
    return entry(name, `${sides}${members("service", [service])}${members("application", ["any"])}<action>${action}</action>`);
  });
  const services = ["5432", "22"].map((port) => entry(`tcp-${port}`, `<protocol><tcp><port>${port}</port></tcp></protocol>`)).join("");
  const rulebase = `<rulebase><nat><rules>${nat}</rules></nat><security><rules>${security.join("")}</rules></security></rulebase>`;
  const network = `<network><interface><ethernet>${layer3}</ethernet></interface><virtual-router>${router}</virtual-router></network>`;
  const objects = `<address><entry name="portal"><ip-netmask>198.51.100.80</ip-netmask></entry></address><service>${services}</service>`;
  const vsys = entry("vsys1", `${objects}<zone>${zones}</zone>${rulebase}`);
  return parseXml(
    `<config><shared/><devices><entry name="localhost.localdomain">${network}<vsys>${vsys}</vsys></entry></devices></config>`,
  );
}

const rule = (direction: string, more: string) => leaf("entry", `${leaf("direction", direction)}${more}`);
const tcp = (port: number, remote: string) =>
  rule("ingress", `<protocol>tcp</protocol>${leaf("port_range_min", `${port}`)}${leaf("port_range_max", `${port}`)}${remote}`);
const OWN = "<project_id>1</project_id>";
const group = (name: string, rules: string) => entry(name, `${OWN}<rules>${rule("egress", "")}${rules}</rules>`);
const server = (name: string, network: string, address: string, groups: readonly string[]) =>
  entry(
    name,
    `${OWN}<networks><entry>${leaf("network", network)}${leaf("fixed_ip", address)}</entry></networks>${members("security_groups", groups)}`,
  );
const subnet = (name: string, cidr: string, gateway: string, more = "") =>
  `<subnets>${entry(name, `${leaf("cidr", cidr)}${leaf("gateway_ip", gateway)}${more}`)}</subnets>`;

interface Cloud {
  readonly db?: string;
  readonly publicSubnet?: string;
  readonly snat?: string;
  readonly router?: string;
  readonly webRoutes?: string;
  readonly more?: string;
}

/** web-01 behind a router with a floating IP, db-01 in a network whose gateway is a firewall, public in between. */
function cloud({
  db = tcp(5432, "<remote_ip_prefix>203.0.113.0/24</remote_ip_prefix>"),
  publicSubnet = subnet("public", "203.0.113.0/24", "203.0.113.1"),
  snat = "true",
  router = "",
  webRoutes = "",
  more = "",
}: Cloud = {}): TreeNode {
  const networks = [
    entry("web-net", subnet("web", "10.1.0.0/24", "10.1.0.1", webRoutes)),
    entry("db-net", subnet("db", "10.2.0.0/24", "10.2.0.1")),
    entry("public", `<router:external>true</router:external>${publicSubnet}`),
  ];
  const external = `<external_network>public</external_network><enable_snat>${snat}</enable_snat><external_fixed_ips><entry><subnet>public</subnet><ip_address>203.0.113.5</ip_address></entry></external_fixed_ips>`;
  const routers = [entry("r1", `${external}${members("interfaces", ["web"])}${router}`)];
  const servers = [
    server("web-01", "web-net", "10.1.0.11", ["web"]),
    server("web-02", "web-net", "10.1.0.12", ["web"]),
    server("db-01", "db-net", "10.2.0.21", ["db"]),
  ];
  const groups = [group("web", tcp(443, "") + tcp(22, "<remote_group>web</remote_group>")), group("db", db)];
  const floating = [
    entry("203.0.113.11", "<floating_ip_address>203.0.113.11</floating_ip_address><server>web-01</server><router>r1</router>"),
  ];
  const lists = { networks, routers, servers, security_groups: groups, floatingips: floating };
  return parseXml(
    `<openstack>${Object.entries(lists)
      .map(([tag, entries]) => leaf(tag, entries.join("")))
      .join("")}${more}</openstack>`,
  );
}

const EDGE: Firewall = {
  interfaces: {
    "ethernet1/1": ["untrust", "203.0.113.1/24"],
    "ethernet1/2": ["db", "10.2.0.1/24"],
    "ethernet1/3": ["internet", "192.0.2.1/24"],
  },
  routes: { "0.0.0.0/0": "192.0.2.254" },
  rules: [
    { name: "web-to-db", from: "untrust", to: "db", service: "tcp-5432" },
    { name: "publish", from: "internet", to: "untrust" },
    { name: "deny-all", from: "any", to: "any", action: "deny" },
  ],
};

function parts(trees: Readonly<Record<string, TreeNode>>): Part[] {
  return Object.entries(trees).flatMap(([target, tree]) => {
    const read = { openstack: cloudRulebases, contrail: controllerRulebases }[tree.tag] ?? firewallRulebases;
    const all = read([tree]);
    return all.flatMap((rulebase) => {
      const [policy] = rulebase.policies();
      const transit = rulebase.transit?.(0);
      return policy === undefined || transit === undefined ? [] : [{ target, rulebase, policy, transit }];
    });
  });
}

interface Said {
  readonly at?: string;
  readonly source?: string;
  readonly destination?: string;
  readonly service?: string;
  readonly from?: readonly string[];
  readonly unread?: readonly string[];
}

function follow(
  trees: Readonly<Record<string, TreeNode>>,
  { at = "cloud", source = "web-01", destination = "db-01", service = "tcp/5432", from = [], unread = [] }: Said = {},
): WholePath[] {
  const question = { from, to: [], source: [source], destination: [destination], service: [service], application: [] };
  return completePaths(parts(trees), at, question, unread);
}

/** A line a hop, and one for the end. */
function told(paths: readonly WholePath[]): string[] {
  return paths.flatMap(({ hops, verdict, ends, conditions }) => [
    ...hops.map(({ target, flow, way, checks }) => {
      const rules = checks.map((check) => check.map(({ action, rule: name }) => `${action} ${name}`).join(" | ")).join(", ");
      const nat = way.translation === undefined ? "" : ` [${way.translation.source ?? "-"} ${way.translation.destination ?? "-"}]`;
      return `${target}: ${flow.source} > ${flow.destination}${nat} ${way.from?.zone ?? "?"} > ${way.to?.zone ?? "?"}: ${rules}`;
    }),
    `${verdict}: ${ends}${conditions.length === 0 ? "" : ` if ${conditions.join(" and ")}`}`,
  ]);
}

describe("completePaths", () => {
  it("passes groups, a router with its floating IP, a firewall, and the groups of the destination", () => {
    expect(told(follow({ cloud: cloud(), edge: firewall(EDGE) }))).toEqual([
      "cloud: 10.1.0.11 > 10.2.0.21 [203.0.113.11 -] server web-01 > router r1: allow web: any to 0.0.0.0/0",
      "edge: 203.0.113.11 > 10.2.0.21 untrust > db: allow web-to-db",
      "cloud: 203.0.113.11 > 10.2.0.21 network db-net > server db-01: allow db: tcp/5432 from 203.0.113.0/24",
      "arrives: server db-01 of cloud has it",
    ]);
  });

  it("names everything that stops it: a group as remote does not match a translated source, and the firewall denies the port", () => {
    const byGroup = cloud({ db: tcp(5432, "<remote_group>web</remote_group>") });
    const rules = (EDGE.rules ?? []).filter(({ name }) => name !== "web-to-db");
    const paths = follow({ cloud: byGroup, edge: firewall({ ...EDGE, rules }) });
    expect(told(paths).slice(1)).toEqual([
      "edge: 203.0.113.11 > 10.2.0.21 untrust > db: deny deny-all",
      "cloud: 203.0.113.11 > 10.2.0.21 network db-net > server db-01: deny server db-01 is in db, of which no rule lets it in",
      "stopped: server db-01 of cloud has it",
    ]);
    // Untranslated it would have been let in.
    const plain = cloud({ db: tcp(5432, "<remote_group>web</remote_group>"), snat: "false" });
    expect(follow({ cloud: plain, edge: firewall(EDGE) }, { source: "web-02" })[0]?.verdict).toBe("arrives");
  });

  it("passes the networks of a controller that is the gateway of a cloud's network", () => {
    const side = (tag: string, name: string) =>
      `<${tag}_addresses>${leaf("entry", leaf("virtual_network", `d:p:${name}`))}</${tag}_addresses><${tag}_ports>${leaf("entry", "")}</${tag}_ports>`;
    const allowed = (action: string) =>
      entry(
        "1",
        `<direction>&lt;&gt;</direction>${side("src", "web")}${side("dst", "db")}<action_list>${leaf("simple_action", action)}</action_list>`,
      );
    const virtual = (name: string, cidr: string, gateway: string) =>
      entry(
        `d:p:${name}`,
        `<network_policy_refs><entry name="d:p:p"/></network_policy_refs><network_ipam_refs>${entry("ipam", leaf("ipam_subnets", entry(cidr, leaf("default_gateway", gateway))))}</network_ipam_refs>`,
      );
    const fabric = (action: string) => {
      const networks = virtual("web", "10.1.0.0/24", "10.1.0.1") + virtual("db", "10.2.0.0/24", "10.2.0.1");
      const policies = entry("d:p:p", leaf("network_policy_entries", leaf("policy_rule", allowed(action))));
      return parseXml(
        `<contrail><network-policys>${policies}</network-policys><virtual-networks>${networks}</virtual-networks></contrail>`,
      );
    };
    const said = { source: "db-01", destination: "web-01", service: "tcp/443" };
    expect(told(follow({ cloud: cloud(), fabric: fabric("pass") }, said))).toEqual([
      "cloud: 10.2.0.21 > 10.1.0.11 server db-01 > network db-net: allow db: any to 0.0.0.0/0",
      "fabric: 10.2.0.21 > 10.1.0.11 db > web: allow p: any web <> db",
      "cloud: 10.2.0.21 > 10.1.0.11 network web-net > server web-01: allow web: tcp/443 from 0.0.0.0/0",
      "arrives: server web-01 of cloud has it",
    ]);
    const [stopped] = follow({ cloud: cloud(), fabric: fabric("deny") }, said);
    expect(stopped).toMatchObject({ verdict: "stopped", conditions: [] });
  });

  it("enters from outside through a floating IP", () => {
    const paths = follow(
      { edge: firewall(EDGE), cloud: cloud() },
      { at: "edge", source: "198.51.100.7", destination: "203.0.113.11", service: "tcp/443" },
    );
    expect(told(paths)).toEqual([
      "edge: 198.51.100.7 > 203.0.113.11 internet > untrust: allow publish",
      "cloud: 198.51.100.7 > 203.0.113.11 [- 10.1.0.11] router r1 > server web-01: allow web: tcp/443 from 0.0.0.0/0",
      "arrives: server web-01 of cloud has it",
    ]);
  });

  it("goes directly to a neighbour, through the common group, and reads no firewall", () => {
    const paths = follow({ cloud: cloud(), edge: firewall(EDGE) }, { destination: "web-02", service: "tcp/22" });
    expect(told(paths)).toEqual([
      "cloud: 10.1.0.11 > 10.1.0.12 server web-01 > server web-02: allow web: any to 0.0.0.0/0, allow web: tcp/22 from web",
      "arrives: server web-02 of cloud has it",
    ]);
  });

  it("reports unknowns: a next hop without a target, and an unreadable target", () => {
    const { "0.0.0.0/0": hop } = EDGE.routes ?? {};
    const away = { at: "edge", source: "203.0.113.40", destination: "192.0.3.9", service: "tcp/443" };
    const rules = [{ name: "out", from: "untrust", to: "internet" }];
    expect(told(follow({ edge: firewall({ ...EDGE, rules }), cloud: cloud() }, away)).at(-1)).toBe(
      `unknown: who has ${hop}, to whom edge hands it by ethernet1/3, no target says`,
    );
    expect(told(follow({ cloud: cloud() }, { unread: ["edge"] })).at(-1)).toBe(
      "unknown: who has 203.0.113.1, to whom cloud hands it by public, no target says, unless edge would, which could not be read",
    );
  });

  it("assumes a firewall in the network of a hidden gateway, as a condition", () => {
    const [path, ...more] = follow({ cloud: cloud({ publicSubnet: "" }), edge: firewall(EDGE) });
    expect(more).toEqual([]);
    expect(path?.conditions).toEqual(["ethernet1/1 of edge is the gateway of public"]);
    expect(path?.verdict).toBe("arrives");
  });

  it("follows each of two with the same address, each as a condition", () => {
    const other = { ...EDGE, rules: [{ name: "closed", from: "any", to: "any", action: "deny" }] };
    const paths = follow({ cloud: cloud(), edge: firewall(EDGE), spare: firewall(other) });
    expect(paths.map(({ verdict, conditions }) => `${verdict} ${conditions[0]}`)).toEqual([
      "arrives 203.0.113.1 is ethernet1/1 of edge",
      "stopped 203.0.113.1 is ethernet1/1 of spare",
    ]);
  });

  it("ends if targets form a loop", () => {
    const [one, other] = ["192.0.2.1", "192.0.2.2"];
    const ring = (own: string, hop: string) =>
      firewall({ interfaces: { "ethernet1/1": ["a", `${own}/24`] }, routes: { "0.0.0.0/0": hop } });
    const [path] = follow(
      { a: ring(one, other), b: ring(other, one) },
      { at: "a", source: "192.0.2.77", destination: "198.51.100.9", service: "tcp/443" },
    );
    expect(path).toMatchObject({ verdict: "unknown", ends: "it is in a loop" });
    expect(path?.hops.map(({ target }) => target)).toEqual(["a", "b", "a"]);
  });

  it("continues with a translated port, and finds the owner of a translated address", () => {
    const sides = `${members("from", ["any"])}${members("to", ["any"])}${members("source", ["any"])}${members("destination", ["203.0.113.80"])}`;
    const to =
      "<destination-translation><translated-address>10.2.0.21</translated-address><translated-port>5432</translated-port></destination-translation>";
    const nat = entry("publish-db", `${sides}<service>any</service>${to}`);
    const rules = [{ name: "all", from: "any", to: "any" }];
    const paths = follow({ cloud: cloud(), edge: firewall({ ...EDGE, nat, rules }) }, { destination: "203.0.113.80", service: "tcp/80" });
    expect(told(paths)).toEqual([
      "cloud: 10.1.0.11 > 203.0.113.80 [203.0.113.11 -] server web-01 > router r1: allow web: any to 0.0.0.0/0",
      "edge: 203.0.113.11 > 203.0.113.80 [- 10.2.0.21:5432] untrust > db: allow all",
      "cloud: 203.0.113.11 > 10.2.0.21 network db-net > server db-01: allow db: tcp/5432 from 203.0.113.0/24",
      "arrives: server db-01 of cloud has it if ethernet1/1 of edge answers for 203.0.113.80",
    ]);
  });

  it("finds the destination by its name at another target", () => {
    const [path] = follow({ cloud: cloud(), edge: firewall(EDGE) }, { at: "edge", source: "198.51.100.7", destination: "cloud:db-01" });
    expect(path?.hops[0]?.flow.destination).toBe("10.2.0.21");
    const [portal] = follow({ cloud: cloud(), edge: firewall(EDGE) }, { destination: "edge:portal", service: "tcp/443" });
    expect(portal?.hops[0]?.flow.destination).toBe("198.51.100.80");
  });

  it.each([
    [{ source: "nobody" }, /"nobody"/],
    [{ destination: "edge:nobody" }, /edge:nobody/],
    [{ service: "tcp/1-9" }, /--service/],
    [{ service: "any" }, /--service/],
  ])("refuses %j: it is not about one flow", (said, message) => {
    const ask = () => follow({ cloud: cloud(), edge: firewall(EDGE) }, said);
    expect(ask).toThrow(PlumblineError);
    expect(ask).toThrow(message);
  });

  it("follows routes of a subnet and of a router, and reports where a router would accept what it translates outwards", () => {
    const routed = cloud({
      webRoutes: "<host_routes><entry><destination>10.9.0.0/16</destination><nexthop>10.1.0.12</nexthop></entry></host_routes>",
    });
    expect(told(follow({ cloud: routed }, { destination: "10.9.1.1" })).at(-1)).toBe("unknown: server web-02 would have to hand it on");
    const back = { ...EDGE, routes: { ...EDGE.routes, "10.1.0.0/24": "203.0.113.5" }, rules: [{ name: "all", from: "any", to: "any" }] };
    const paths = follow(
      { cloud: cloud(), edge: firewall(back) },
      { at: "edge", source: "198.51.100.7", destination: "10.1.0.12", service: "tcp/443" },
    );
    expect(told(paths).at(-1)).toBe(
      "arrives: server web-02 of cloud has it if router r1, which translates what leaves, lets in what is sent to addresses behind it",
    );
    const beyond = cloud({ router: "<routes><entry><destination>10.7.0.0/16</destination><nexthop>10.1.0.12</nexthop></entry></routes>" });
    expect(
      told(
        follow(
          { cloud: beyond, edge: firewall({ ...back, routes: { "10.7.0.0/16": "203.0.113.5", "0.0.0.0/0": "192.0.2.254" } }) },
          { at: "edge", source: "198.51.100.7", destination: "10.7.0.9" },
        ),
      ).at(-1),
    ).toContain("server web-02 would have to hand it on");
  });
});
