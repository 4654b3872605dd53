import { describe, expect, it } from "vitest";
import type { WholePath } from "../../../../src/outcome/whole-path.js";
import type { Transit } from "../../../../src/reachability/policy-role.js";
import { completePaths, type Part } from "../../../../src/reachability/questions/whole-path.js";
import { rulebasesOf } from "../../../../src/targets/contrail/policy/policies.js";
import { treeOf } from "./fabric.js";

const named = (name: string) => ["default-domain", "demo", name];
const full = (name: string) => named(name).join(":");
const IPAM = ["default-domain", "default-project", "default-network-ipam"];
const routes = (prefix: string, next_hop: string) => ({ route: [{ prefix, next_hop }] });

const rule = (from: string, to: string, port: number, simple_action = "pass") => ({
  direction: "<>",
  protocol: "tcp",
  src_addresses: [{ virtual_network: full(from) }],
  src_ports: [{ start_port: -1, end_port: -1 }],
  dst_addresses: [{ virtual_network: full(to) }],
  dst_ports: [{ start_port: port, end_port: port }],
  action_list: { simple_action },
});

/** A network with one subnet whose gateway is its first address; `more` of the network, `of` of the subnet. */
function network(name: string, cidr: string | undefined, more: object = {}, of: object = {}): object {
  const [ip_prefix = "", length] = cidr?.split("/") ?? [];
  const subnet = { subnet: { ip_prefix, ip_prefix_len: Number(length) }, default_gateway: ip_prefix.replace(/0$/, "1"), ...of };
  const attr = { ipam_subnets: cidr === undefined ? [{ subnet_uuid: "1" }] : [subnet] };
  return { fq_name: named(name), network_ipam_refs: [{ to: IPAM, attr }], ...more };
}
const policed = (more: object = {}) => ({
  network_policy_refs: [{ to: named("p"), attr: { sequence: { major: 0, minor: 0 } } }],
  ...more,
});

/** web and db, connected by a policy for tcp/5432, and lone without any connection. */
const NETWORKS = [network("web", "10.1.0.0/24", policed()), network("db", "10.2.0.0/24", policed()), network("lone", "10.3.0.0/24")];
const POLICY = { fq_name: named("p"), network_policy_entries: { policy_rule: [rule("web", "db", 5432)] } };

function fabric(networks: readonly object[] = NETWORKS, more: Readonly<Record<string, readonly object[]>> = {}): Part[] {
  const [rulebase] = rulebasesOf([treeOf({ networks: networks as never, policies: [POLICY] as never }, more)]);
  return partsOf("fabric", rulebase);
}

function partsOf(target: string, rulebase: Part["rulebase"]): Part[] {
  const [[policy], transit] = [rulebase.policies(), rulebase.transit?.(0)];
  if (policy === undefined || transit === undefined) throw new Error("it is followed");
  return [{ target, rulebase, policy, transit }];
}

/** A neighbour that lets everything pass, has the addresses of `own`, and hands all on to `next`. */
function neighbour(target: string, own: readonly string[], next: string): Part {
  const [{ rulebase, policy } = expect.fail()] = fabric([]);
  const transit: Transit = {
    addressesOf: () => [],
    ownerOf: (address) => (own.includes(address) ? "a door" : undefined),
    neighbourOf: () => undefined,
    ways: ({ source, destination, service }) => [
      { conditions: [], checks: [], after: { source, destination, service }, next: { address: next } },
    ],
  };
  return { target, rulebase, policy, transit };
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
  parts: readonly Part[],
  { at = "fabric", source = "10.1.0.11", destination = "10.2.0.21", service = "tcp/5432", from = [], unread = [] }: Said = {},
): WholePath[] {
  return completePaths(
    parts,
    at,
    { from, to: [], source: [source], destination: [destination], service: [service], application: [] },
    unread,
  );
}

/** One line for each hop, one for the end, and its conditions without groups. */
function told(paths: readonly WholePath[]): string[] {
  return paths.flatMap(({ hops, verdict, ends, conditions }) => [
    ...hops.map(({ target, way, checks }) => {
      const rules = checks.flat().map(({ verdict, rule: name, conditions: open }) => `${verdict} ${name}${open.length > 0 ? "?" : ""}`);
      return `${target}: ${way.from?.zone ?? "?"} > ${way.to?.zone ?? "?"}: ${rules.join(" | ")}`;
    }),
    `${verdict}: ${ends}`,
    ...conditions.filter((each) => !each.startsWith("security groups")).map((each) => `if ${each}`),
  ]);
}

describe("a controller on the path of a flow", () => {
  it("allows and stops between networks according to its policies, depending on security groups of both ends", () => {
    const paths = follow(fabric());
    expect(told(paths)).toEqual([
      "fabric: web > db: allow p: tcp/5432 default-domain:demo:web <> default-domain:demo:db".replaceAll("default-domain:demo:", ""),
      "arrives: it is sent to 10.2.0.21 in the network of db of fabric",
    ]);
    expect(paths[0]?.conditions).toEqual([
      "security groups of interfaces in web let it out",
      "security groups of interfaces in db let it in",
    ]);
    // A packet that is stopped anyway depends on no group.
    expect(follow(fabric(), { service: "tcp/22" })).toMatchObject([{ verdict: "stopped", conditions: [] }]);
    expect(follow(fabric(), { destination: "10.3.0.9" })[0]?.verdict).toBe("stopped");
    expect(told(follow(fabric(), { destination: "10.1.0.12", service: "tcp/22" })).at(-1)).toBe(
      "arrives: it is sent to 10.1.0.12 in the network of web of fabric",
    );
  });

  it("gets a flow from its gateway, and delivers it to the owner of the address", () => {
    const parts = [...fabric(), neighbour("cloud", ["10.2.0.21"], "10.1.0.1")];
    expect(told(follow(parts, { at: "cloud" })).slice(0, 2)).toEqual(["cloud: ? > ?: ", "fabric: web > db: allow p: tcp/5432 web <> db"]);
    // No group is undecided if the cloud judges both ends.
    const [path] = follow(parts, { at: "cloud" });
    expect(path?.conditions).toEqual([]);
    expect(path?.hops[2]?.target).toBe("cloud");
  });

  it("assigns addresses in a network's subnet to that network, as conditions", () => {
    const paths = follow([...fabric(), neighbour("edge", [], "10.2.0.21")], { at: "edge", source: "198.51.100.7" });
    expect(told(paths)).toEqual([
      "edge: ? > ?: ",
      "fabric: db > db: allow within a network",
      "arrives: it is sent to 10.2.0.21 in the network of db of fabric",
      "if network db of fabric answers for 10.2.0.21",
      "if the controller takes it for traffic of db",
    ]);
  });

  it("is assumed behind a next hop without a target, but not if one could not be read", () => {
    const edge = neighbour("edge", [], "192.0.2.1");
    const joined = NETWORKS.map((each, at) => (at === 1 ? { ...each, route_target_list: { route_target: ["target:64512:7"] } } : each));
    const away = { at: "edge", source: "198.51.100.7" };
    expect(told(follow([...fabric(joined), edge], away))).toEqual([
      "edge: ? > ?: ",
      expect.stringMatching(/^fabric: anywhere > db: allow .*\?/),
      "may arrive: it is sent to 10.2.0.21 in the network of db of fabric",
      "if 192.0.2.1 leads to network db of fabric",
    ]);
    expect(follow([...fabric(joined), edge], { ...away, unread: ["core"] })[0]?.ends).toContain("unless core would");
    expect(told(follow([...fabric(joined), edge], { at: "edge" }))).toContain("if the controller takes it for traffic of anywhere");
    expect(told(follow([...fabric(joined), edge], { ...away, destination: "10.9.0.9" })).at(-1)).toContain("no target says");
    // An endpoint in a network does not forward packets of others.
    const inside = neighbour("edge", [], "10.1.0.77");
    expect(told(follow([...fabric(joined), inside], { ...away, destination: "10.9.0.9" })).at(-1)).toContain("who has 10.1.0.77");
  });

  it("forwards it to the gateway of a layer 2 network, and to a next hop that a subnet gives its hosts", () => {
    const edge = neighbour("edge", ["10.1.0.1", "10.1.0.254"], "10.2.0.21");
    const bridged = network("web", "10.1.0.0/24", policed({ virtual_network_properties: { forwarding_mode: "l2" } }));
    const routed = network("web", "10.1.0.0/24", policed(), { host_routes: routes("10.2.0.0/16", "10.1.0.254") });
    for (const web of [bridged, routed]) {
      const [, ...others] = NETWORKS;
      const [path, ...more] = follow([...fabric([web, ...others]), edge]);
      expect(more).toEqual([]);
      expect(path?.hops.map(({ target, way }) => `${target} ${way.from?.zone} ${way.to?.zone} ${way.to?.nextHop}`)).toEqual([
        `fabric web web ${web === bridged ? "10.1.0.1" : "10.1.0.254"}`,
        "edge undefined undefined undefined",
        "fabric db db undefined",
      ]);
    }
    const alone = network("web", "10.1.0.0/24", policed({ virtual_network_properties: { forwarding_mode: "l2" } }), {
      default_gateway: "0.0.0.0",
    });
    expect(told(follow(fabric([alone, ...NETWORKS.slice(1)])))).toEqual([
      "fabric: web > ?: ",
      "unknown: web forwards only by layer 2, and its gateway is not known",
    ]);
  });

  it("follows each of several networks with the address, and only the one with a route if there is one", () => {
    const twin = network("twin", "10.2.0.0/24");
    expect(told(follow(fabric([...NETWORKS, twin])))).toEqual(told(follow(fabric())));
    const paths = follow(fabric([...NETWORKS, network("twin", "10.1.0.0/24")]));
    expect(paths.map(({ verdict, conditions: [which] }) => `${verdict}: ${which}`)).toEqual([
      "arrives: 10.1.0.11 is that in network web",
      "stopped: 10.1.0.11 is that in network twin",
    ]);
    expect(told(follow(fabric([...NETWORKS, network("twin", "10.1.0.0/24")]), { from: ["web"] }))).toEqual(told(follow(fabric())));
  });

  it.each<[string, readonly object[], Readonly<Record<string, readonly object[]>>, Said, string]>([
    ["a source that nobody has", NETWORKS, {}, { source: "10.9.0.9" }, "no known network of the controller has 10.9.0.9"],
    [
      "a network without known subnets",
      [...NETWORKS, network("dark", undefined)],
      {},
      { destination: "10.9.0.9" },
      "whether dark has 10.9.0.9 is not known",
    ],
    ["a gateway itself", NETWORKS, {}, { destination: "10.1.0.1" }, "10.1.0.1 is the gateway of web itself"],
    [
      "a route table",
      [network("web", "10.1.0.0/24", policed({ route_table_refs: [{ to: named("t") }] })), ...NETWORKS.slice(1)],
      { "route-tables": [{ fq_name: named("t"), routes: routes("10.9.0.0/16", "10.1.0.7") }] },
      { destination: "10.9.0.9" },
      "route table t sends 10.9.0.0/16 to 10.1.0.7, which is not followed",
    ],
    [
      "a route table that was not read",
      [network("web", "10.1.0.0/24", policed({ route_table_refs: [{ to: named("t") }] })), ...NETWORKS.slice(1)],
      {},
      { destination: "10.9.0.9" },
      "route table t sends 0.0.0.0/0 to an address that was not read, which is not followed",
    ],
    [
      "a floating IP",
      NETWORKS,
      { "floating-ips": [{ fq_name: [...named("lone"), "pool", "fip"], floating_ip_address: "10.3.0.7" }] },
      { destination: "10.3.0.7" },
      "floating IP fip belongs to an interface that is not visible",
    ],
  ])("says what is not known: %s", (_what, networks, more, said, ends) => {
    expect(follow(fabric(networks, more), said)).toMatchObject([{ verdict: "unknown", ends }]);
  });

  it("does not know the receiver outside its networks, nor the source behind a router or fabric SNAT", () => {
    const out = network("web", "10.1.0.0/24", policed({ fabric_snat: true }));
    const [path] = follow(fabric([out, ...NETWORKS.slice(1)]), { destination: "198.51.100.7" });
    expect(path).toMatchObject({ ends: "where a gateway of fabric leads, no target says" });
    expect(path?.verdict).not.toBe("arrives");
    const [{ transit } = expect.fail()] = fabric([out, ...NETWORKS.slice(1)]);
    const flow = { source: "10.1.0.11", destination: "198.51.100.7", service: "tcp/443", application: [], at: undefined, from: [] };
    expect(transit.ways(flow)[0]?.after?.source).toBeUndefined();
    expect(transit.ways({ ...flow, source: undefined })[0]?.ends).toContain("source");
    const fixed = {
      fq_name: [...named("lone"), "pool", "fip"],
      floating_ip_address: "10.3.0.7",
      floating_ip_fixed_ip_address: "10.1.0.11",
    };
    const hangs = (floating: object) => follow(fabric(NETWORKS, { "floating-ips": [floating] }))[0]?.conditions.join("; ");
    const { floating_ip_fixed_ip_address: _, ...free } = fixed;
    const taken = { ...free, virtual_machine_interface_refs: [{ to: named("interface") }] };
    for (const each of [fixed, taken]) expect(hangs(each)).toContain("no floating IP translates 10.1.0.11");
    for (const each of [free, { ...fixed, floating_ip_fixed_ip_address: "10.1.0.12" }]) expect(hangs(each)).not.toContain("floating IP");
    expect(follow(fabric(NETWORKS, { "floating-ips": [fixed] }), { destination: "fip" })[0]?.ends).toContain("floating IP fip");
  });

  it("calls nothing stopped that may be in a network with unknown content, or of layer 2", () => {
    const dark = network("dark", undefined);
    expect(follow(fabric([...NETWORKS, dark]), { destination: "10.3.0.9" })).toMatchObject([
      { verdict: "unknown", ends: "whether dark has 10.3.0.9 is not known" },
    ]);
    expect(follow(fabric([...NETWORKS, dark]))).toMatchObject([{ verdict: "arrives" }]);
    const bridged = network("flat", "10.8.0.0/24", { virtual_network_properties: { forwarding_mode: "l2" } });
    expect(follow(fabric([...NETWORKS, bridged]), { destination: "10.8.0.9" })).toMatchObject([
      { verdict: "unknown", ends: "flat, which has 10.8.0.9, forwards only by layer 2" },
    ]);
  });

  it("refuses an unknown network as the start", () => {
    expect(() => follow(fabric(), { from: ["wbe"] })).toThrow(/"wbe"/);
    expect(told(follow(fabric(), { from: ["anywhere"] }))[0]).toMatch(/^fabric: anywhere > db: /);
  });

  it("treats the subnets of a flat IPAM as those of its networks", () => {
    const flat = { fq_name: IPAM, ipam_subnets: { subnets: [{ subnet: { ip_prefix: "10.7.0.0", ip_prefix_len: 24 } }] } };
    const dark = network("dark", undefined);
    expect(told(follow(fabric([...NETWORKS, dark], { "network-ipams": [flat] }), { source: "10.7.0.3", destination: "10.7.0.4" }))).toEqual(
      ["fabric: dark > dark: allow within a network", "arrives: it is sent to 10.7.0.4 in the network of dark of fabric"],
    );
  });
});
