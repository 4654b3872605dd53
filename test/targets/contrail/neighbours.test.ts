import { describe, expect, it } from "vitest";
import { exitCode } from "../../../src/outcome/outcome.js";
import { ControllerWorld } from "./world.js";

const DEMO = "default-domain:demo";
const IPAM = "default-domain:default-project:default-network-ipam";

const rule = (port: number, from: string) => `
        - direction: ">"
          protocol: tcp
          ethertype: IPv4
          src_addresses: [${from}]
          src_ports: [{ start_port: 0, end_port: 65535 }]
          dst_addresses: [{ security_group: local }]
          dst_ports: [{ start_port: ${port}, end_port: ${port} }]`;
const ANYBODY = "{ subnet: { ip_prefix: 10.0.0.0, ip_prefix_len: 8 } }";
const WEB = `{ security_group: "${DEMO}:web" }`;
const group = (name: string, ...rules: string[]) => `
  ${DEMO}:${name}:
    security_group_entries:
      policy_rule:${rules.join("")}`;

interface Said {
  readonly groups: string;
  readonly routes: string;
  readonly router: string;
  readonly address: string;
}

const FIRST: Said = {
  groups: group("web", rule(443, ANYBODY), rule(22, WEB)) + group("db", rule(5432, WEB)),
  routes: "{ prefix: 0.0.0.0/0, next_hop: 10.1.0.9, next_hop_type: ip-address }",
  router: "logical_router_gateway_external: false, configured_route_target_list: { route_target: ['target:64512:7'] }",
  address: "{ floating_ip_address: 203.0.113.9 }",
};

const project = ({ groups, routes, router, address }: Said) => `
security-groups:${groups}
route-tables:
  ${DEMO}:out: { routes: { route: [${routes}] } }
virtual-networks:
  ${DEMO}:inner:
    network_ipam_refs: { ${IPAM}: { ipam_subnets: { 10.1.0.0/24: {} } } }
    route_table_refs: { ${DEMO}:out: {} }
  ${DEMO}:public:
    router_external: true
    network_ipam_refs: { ${IPAM}: { ipam_subnets: { 203.0.113.0/24: {} } } }
logical-routers:
  ${DEMO}:edge: { virtual_network_refs: { ${DEMO}:public: { logical_router_virtual_network_type: ExternalGateway } }, route_table_refs: { ${DEMO}:out: {} }, ${router} }
floating-ip-pools:
  ${DEMO}:public:pool: {}
floating-ips:
  ${DEMO}:public:pool:front: ${address}
`;

async function standing(said = FIRST): Promise<ControllerWorld> {
  const world = await ControllerWorld.start();
  await world.reconciled(project(said));
  return world;
}

const changes = async (world: ControllerWorld) =>
  (await world.plan()).plan?.changes.map(({ kind, path }) => `${kind} ${path.toString().replace(/^\/contrail\//, "")}`);

const fields = (world: ControllerWorld, type: string, name: string) => world.object(type, `${DEMO}:${name}`)?.properties ?? {};

function change(world: ControllerWorld, type: string, name: string, members: object): void {
  world.lab.world.update(type, world.object(type, `${DEMO}:${name}`)?.uuid ?? "", members as never);
}

describe("security groups, route tables, logical routers, floating IP pools and addresses", () => {
  it("are created after their references and parents, by one marked request each; no difference remains", async () => {
    const world = await standing();
    const made = world.writes();
    expect(made.filter((each) => !each.startsWith("POST /"))).toEqual([]);
    expect(made).toHaveLength(8);
    const at = (list: string) => made.lastIndexOf(`POST /${list}`);
    expect(at("floating-ip-pools")).toBeGreaterThan(at("virtual-networks"));
    expect(at("floating-ips")).toBeGreaterThan(at("floating-ip-pools"));
    expect(made.indexOf("POST /logical-routers")).toBeGreaterThan(at("virtual-networks"));
    expect(made.indexOf("POST /virtual-networks")).toBeGreaterThanOrEqual(0);
    expect(at("virtual-networks")).toBeGreaterThan(made.indexOf("POST /route-tables"));
    const address = world.object("floating-ip", `${DEMO}:public:pool:front`);
    expect(address?.parent).toMatchObject({ type: "floating-ip-pool" });
    expect(address?.properties).toMatchObject({ floating_ip_address: "203.0.113.9", annotations: { key_value_pair: expect.any(Array) } });
    expect(await changes(world)).toEqual([]);
    const since = world.lab.journal.length;
    expect(exitCode([await world.reconcile()])).toBe(0);
    expect(world.writes(since)).toEqual([]);
  });

  it("change in place, by one request each; an unchanged rule keeps its id, and the order of rules does not matter", async () => {
    const world = await standing();
    const ruleIds = () =>
      (fields(world, "security-group", "web").security_group_entries as { policy_rule: { rule_uuid: string }[] }).policy_rule.map(
        ({ rule_uuid }) => rule_uuid,
      );
    const before = ruleIds();
    const since = world.lab.journal.length;
    await world.reconciled(
      project({
        ...FIRST,
        groups: group("web", rule(22, WEB), rule(443, ANYBODY), rule(80, ANYBODY)) + group("db", rule(5432, WEB)),
        routes: "{ prefix: 0.0.0.0/0, next_hop: 10.1.0.10, next_hop_type: ip-address }",
        router: "logical_router_type: snat-routing",
      }),
    );
    expect(world.writes(since).sort()).toEqual(["PUT /logical-router/UUID", "PUT /route-table/UUID", "PUT /security-group/UUID"]);
    expect(ruleIds()).toEqual(expect.arrayContaining(before));
    expect(ruleIds()).toHaveLength(3);
    expect(fields(world, "route-table", "out").routes).toMatchObject({ route: [{ next_hop: "10.1.0.10" }] });
    expect(await changes(world)).toEqual([]);
    await world.reconciled(project({ ...FIRST, groups: group("web", rule(443, ANYBODY), rule(22, WEB)) + group("db", rule(5432, WEB)) }));
    const quiet = world.lab.journal.length;
    await world.reconciled(project({ ...FIRST, groups: group("web", rule(22, WEB), rule(443, ANYBODY)) + group("db", rule(5432, WEB)) }));
    expect(world.writes(quiet)).toEqual([]);
  });

  it("that were changed or deleted manually are drift, and are healed", async () => {
    const world = await standing();
    change(world, "security-group", "db", { security_group_entries: { policy_rule: [] } });
    change(world, "logical-router", "edge", { virtual_network_refs: [], route_table_refs: [] });
    change(world, "virtual-network", "inner", { route_table_refs: [] });
    world.lab.world.delete("floating-ip", world.object("floating-ip", `${DEMO}:public:pool:front`)?.uuid ?? "");
    const drifted = await world.drift();
    expect(exitCode([drifted])).toBe(2);
    const places = drifted.drift?.items.map(({ change: { path } }) =>
      path
        .toString()
        .replace(/^\/contrail\//, "")
        .replaceAll(`${DEMO}:`, ""),
    );
    expect(places?.sort()).toEqual([
      "floating-ips/entry[@name='public:pool:front']",
      "logical-routers/entry[@name='edge']/route_table_refs",
      "logical-routers/entry[@name='edge']/virtual_network_refs",
      "security-groups/entry[@name='db']/security_group_entries",
      "virtual-networks/entry[@name='inner']/route_table_refs",
    ]);
    expect(exitCode([await world.reconcile()])).toBe(0);
    expect(await changes(world)).toEqual([]);
  });

  it("are deleted in a valid order, without objects of others", async () => {
    const world = await standing();
    world.lab.world.create("security-group", { fq_name: ["default-domain", "demo", "default"], parent_type: "project" });
    const since = world.lab.journal.length;
    await world.reconciled(`virtual-networks:\n  ${DEMO}:last: {}`);
    const gone = world.writes(since).filter((each) => each.startsWith("DELETE"));
    expect(gone).toHaveLength(8);
    const at = (type: string) => gone.indexOf(`DELETE /${type}/UUID`);
    expect(at("floating-ip")).toBeLessThan(at("floating-ip-pool"));
    expect(at("floating-ip-pool")).toBeLessThan(gone.lastIndexOf("DELETE /virtual-network/UUID"));
    expect(at("route-table")).toBeGreaterThan(at("logical-router"));
    expect(world.object("security-group", `${DEMO}:default`)).toBeDefined();
    expect(world.object("floating-ip-pool", `${DEMO}:public:pool`)).toBeUndefined();
  });

  it("of others are refused, and taken over with $adopt", async () => {
    const world = await ControllerWorld.start();
    world.lab.world.create("security-group", { fq_name: ["default-domain", "demo", "web"], parent_type: "project" });
    world.want(`security-groups:${group("web", rule(443, ANYBODY))}`);
    expect(exitCode([await world.reconcile()])).toBe(3);
    await world.reconciled(`security-groups:${group("web", rule(443, ANYBODY)).replace("    security", "    $adopt: true\n    security")}`);
    expect(fields(world, "security-group", "web").security_group_entries).toMatchObject({
      policy_rule: [{ dst_ports: [{ end_port: 443 }] }],
    });
  });

  it("an address is fixed unless it may be replaced, and an address in use is reported with the controller's text", async () => {
    const world = await standing();
    world.want(project({ ...FIRST, address: "{ floating_ip_address: 203.0.113.10 }" }));
    const refused = await world.reconcile();
    expect(refused.plan?.refusals).toMatchObject([{ guard: "replace", message: expect.stringContaining("floating_ip_address") }]);
    await world.reconciled(project({ ...FIRST, address: "{ $replace: true, floating_ip_address: 203.0.113.10 }" }));
    expect(fields(world, "floating-ip", "public:pool:front").floating_ip_address).toBe("203.0.113.10");
    world.want(
      `${project({ ...FIRST, address: "{ floating_ip_address: 203.0.113.10 }" })}  ${DEMO}:public:pool:second: { floating_ip_address: 203.0.113.10 }`,
    );
    const taken = await world.reconcile();
    expect(exitCode([taken])).not.toBe(0);
    expect(taken.error?.message).toContain("IP address already in use");
    await world.reconciled(`${project({ ...FIRST, address: "{ floating_ip_address: 203.0.113.10 }" })}  ${DEMO}:public:pool:second: {}`);
    expect(await changes(world)).toEqual([]);
  });

  it("the internal network that the controller creates for a router is ignored", async () => {
    const world = await standing();
    const inner = `__contrail_lr_internal_vn_${world.object("logical-router", `${DEMO}:edge`)?.uuid}__`;
    world.lab.world.create("virtual-network", { fq_name: ["default-domain", "demo", inner], parent_type: "project" });
    const own = world.object("logical-router", `${DEMO}:edge`)?.references.get("virtual_network_refs") ?? [];
    const attr = { logical_router_virtual_network_type: "InternalVirtualNetwork" };
    const refs = own.map((each) => ({ to: ["default-domain", "demo", "public"], attr: each.attr }));
    change(world, "logical-router", "edge", { virtual_network_refs: [...refs, { to: ["default-domain", "demo", inner], attr }] });
    expect(await changes(world)).toEqual([]);
    const next = { ...FIRST, router: "logical_router_gateway_external: true" };
    await world.reconciled(project(next).replace("ExternalGateway", "InternalVirtualNetwork"));
    expect(world.object("logical-router", `${DEMO}:edge`)?.references.get("virtual_network_refs")).toHaveLength(2);
  });

  it("ports of a router are referenced by uuid, and its internal network keeps its route targets", async () => {
    const world = await standing();
    for (const name of ["one", "two"])
      world.lab.world.create("virtual-machine-interface", {
        fq_name: ["default-domain", "demo", name],
        parent_type: "project",
        virtual_network_refs: [{ to: ["default-domain", "demo", "inner"] }],
      });
    const router = (more: string) => ({ ...FIRST, router: `${FIRST.router}${more}` });
    const ports = (...names: string[]) => `, virtual_machine_interface_refs: { ${names.map((name) => `${DEMO}:${name}: {}`).join(", ")} }`;
    await world.reconciled(project(router(ports("one"))));
    await world.reconciled(project(router(ports("one", "two"))));
    await world.reconciled(project(router(ports("two"))).replace("ExternalGateway", "InternalVirtualNetwork"));
    const refs = world.object("logical-router", `${DEMO}:edge`)?.references.get("virtual_machine_interface_refs");
    expect(refs).toHaveLength(1);
    const second = (more: string) =>
      project(router("")).replace(
        "floating-ip-pools:",
        `  ${DEMO}:vx: { logical_router_type: vxlan-routing, virtual_machine_interface_refs: { ${DEMO}:one: {} }, configured_route_target_list: { route_target: ['target:64512:50'] }${more} }\nfloating-ip-pools:`,
      );
    await world.reconciled(second(""));
    await world.reconciled(second(", vxlan_network_identifier: '7001'"));
    expect(await changes(world)).toEqual([]);
    const inside = `${DEMO}:__contrail_lr_internal_vn_${world.object("logical-router", `${DEMO}:vx`)?.uuid}__`;
    expect(world.object("virtual-network", inside)?.properties).toMatchObject({ route_target_list: { route_target: ["target:64512:50"] } });
    world.want(second("").replace("vxlan-routing", "snat-routing"));
    expect((await world.reconcile()).plan?.refusals).toMatchObject([
      { guard: "replace", message: expect.stringContaining("logical_router_type") },
    ]);
    await world.reconciled(project(FIRST));
    expect(world.object("virtual-network", inside)).toBeUndefined();
  });

  it("a router is taken over with the annotations of others, and a change of a mark is one request", async () => {
    const world = await ControllerWorld.start();
    const pair = { key: "theirs", value: "kept" };
    const annotations = { key_value_pair: [pair] };
    world.lab.world.create("logical-router", { fq_name: ["default-domain", "demo", "edge"], parent_type: "project", annotations });
    const since = world.lab.journal.length;
    await world.reconciled(`logical-routers:\n  ${DEMO}:edge: { $adopt: true, logical_router_gateway_external: true }`);
    expect(world.writes(since)).toEqual(["PUT /logical-router/UUID"]);
    const { key_value_pair: pairs } = fields(world, "logical-router", "edge").annotations as { key_value_pair: unknown[] };
    expect(pairs).toEqual(expect.arrayContaining([pair, { key: "plumbline_owner", value: "netops" }]));
    await world.reconciled(`logical-routers:\n  ${DEMO}:edge: { annotations: { key_value_pair: { mine: { value: "1" } } } }`);
    const after = fields(world, "logical-router", "edge").annotations as { key_value_pair: { key: string }[] };
    expect(after.key_value_pair.map(({ key }) => key).sort()).toEqual(["mine", "plumbline_key", "plumbline_owner"]);
  });

  it("pools of a subnet are added in place; removing or changing one requires a replacement of the subnet", async () => {
    const network = (subnet: string) =>
      `virtual-networks:\n  ${DEMO}:n: { network_ipam_refs: { ${IPAM}: { ipam_subnets: { 10.1.0.0/24: { ${subnet} } } } } }`;
    const pools = (...ranges: string[]) => `allocation_pools: [${ranges.join(", ")}]`;
    const [low, high] = ["{ start: 10.1.0.50, end: 10.1.0.59 }", "{ start: 10.1.0.70, end: 10.1.0.79 }"];
    const world = await ControllerWorld.start();
    await world.reconciled(network(pools(low)));
    await world.reconciled(network(pools(low, high)));
    for (const [less, words] of [
      [pools(high), "cannot be made smaller"],
      [pools(low.replace("59", "58"), high), "cannot be made smaller"],
      ["", "cannot be removed (allocation_pools: 10.1.0.50 10.1.0.59, 10.1.0.70 10.1.0.79)"],
    ] as const) {
      world.want(network(less));
      const { plan } = await world.reconcile();
      expect(plan?.refusals).toMatchObject([{ guard: "replace", message: expect.stringContaining(words) }]);
    }
    await world.reconciled(network(`$replace: true, ${pools(high)}`));
    expect(await changes(world)).toEqual([]);
  });

  it("completed operations of a partly failed run are owned: the next one overwrites no work of others, and may delete them", async () => {
    const world = await ControllerWorld.start();
    const tables = (hop: string) => `route-tables:\n  ${DEMO}:out: { routes: { route: [{ prefix: 0.0.0.0/0, next_hop: ${hop} }] } }\n`;
    const bad = `security-groups:\n  ${DEMO}:far: { configured_security_group_id: 8000123 }\n`;
    await world.reconciled(tables("10.1.0.1"));
    world.want(tables("10.1.0.2") + bad);
    expect(exitCode([await world.reconcile()])).toBe(4);
    expect((await world.reconciled(tables("10.1.0.3"))).overwritten ?? []).toEqual([]);
    world.want(tables("10.1.0.4") + bad);
    expect(exitCode([await world.reconcile()])).toBe(4);
    await world.reconciled(`virtual-networks:\n  ${DEMO}:last: {}`);
    expect(world.object("route-table", `${DEMO}:out`)).toBeUndefined();
  });

  it("changes by others during a partly failed run stay theirs", async () => {
    const world = await ControllerWorld.start();
    const tables = (hop: string) => `route-tables:\n  ${DEMO}:out: { routes: { route: [{ prefix: 0.0.0.0/0, next_hop: ${hop} }] } }\n`;
    const bad = `security-groups:\n  ${DEMO}:far: { configured_security_group_id: 8000123 }\n`;
    await world.reconciled(tables("10.1.0.1"));
    const theirs = { routes: { route: [{ prefix: "0.0.0.0/0", next_hop: "10.9.9.9" }] } };
    const lab = world.lab.world;
    const stop = lab.watch(({ kind, object }) => {
      if (kind !== "update" || object.type !== "route-table") return;
      stop();
      lab.update("route-table", object.uuid, theirs);
    });
    world.want(tables("10.1.0.2") + bad);
    expect(exitCode([await world.reconcile()])).toBe(4);
    world.want(`virtual-networks:\n  ${DEMO}:last: {}`);
    expect((await world.reconcile()).plan?.refusals).toMatchObject([{ guard: "not-as-left" }]);
  });

  it("are named by their parents: a pool of a missing network is reported", async () => {
    const world = await ControllerWorld.start();
    world.want(`floating-ip-pools:\n  ${DEMO}:nowhere:pool: {}`);
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).not.toBe(0);
    expect(`${outcome.error?.message}${JSON.stringify(outcome.plan?.refusals)}`).toContain("nowhere");
    world.want(`floating-ip-pools:\n  ${DEMO}:pool: {}`);
    await expect(world.plan()).rejects.toThrow(/DOMAIN:PROJECT:NETWORK:NAME/);
  });
});
