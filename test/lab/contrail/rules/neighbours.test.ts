import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json/value.js";
import type { RunningContrailLab } from "../../../../src/lab/contrail/start.js";
import { type Answer, call, networkDocument, startLab } from "../support.js";

const POOL = { start: "10.1.0.50", end: "10.1.0.60" };
const OTHER_POOL = { start: "10.1.0.70", end: "10.1.0.80" };

async function world(): Promise<RunningContrailLab> {
  const lab = await startLab();
  await call(lab, "POST", "/projects", { project: { fq_name: ["default-domain", "demo"], parent_type: "domain" } });
  const network = networkDocument("inner", "10.1.0.0/24", "10.2.0.0/24");
  subnets(network)[0] = { ...subnets(network)[0], allocation_pools: [POOL] };
  await call(lab, "POST", "/virtual-networks", { "virtual-network": network });
  await call(lab, "POST", "/virtual-networks", { "virtual-network": networkDocument("public", "203.0.113.0/24") });
  await make(lab, "virtual-machine-interface", ["port"], { virtual_network_refs: [{ to: name("inner") }] });
  await make(lab, "floating-ip-pool", ["public", "pool"], { parent_type: "virtual-network" });
  return lab;
}

const name = (...parts: string[]) => ["default-domain", "demo", ...parts];

function subnets(network: JsonObject): JsonObject[] {
  return (network.network_ipam_refs as { attr: { ipam_subnets: JsonObject[] } }[])[0]?.attr.ipam_subnets ?? [];
}

async function make(lab: RunningContrailLab, type: string, parts: string[], more: JsonObject): Promise<Answer> {
  return await call(lab, "POST", `/${type}s`, { [type]: { fq_name: name(...parts), parent_type: "project", ...more } });
}

async function read(lab: RunningContrailLab, type: string, ...parts: string[]): Promise<JsonObject> {
  const { json } = await call(lab, "POST", "/fqname-to-id", { type, fq_name: name(...parts) });
  return ((await call(lab, "GET", `/${type}/${String(json.uuid)}`)).json[type] ?? {}) as JsonObject;
}

async function change(lab: RunningContrailLab, type: string, parts: string[], fields: JsonObject): Promise<Answer> {
  const { uuid } = await read(lab, type, ...parts);
  return await call(lab, "PUT", `/${type}/${String(uuid)}`, { [type]: fields });
}

const said = ({ status, text }: Answer) => [status, text];

/** Facts: the real API server (tf-controller of March 2024, in memory) gave each of these replies. */
describe("like the real controller", () => {
  it("a router finds its neighbours by uuid only, once it has a port", async () => {
    const lab = await world();
    const port = await read(lab, "virtual-machine-interface", "port");
    const [byName, byId] = [{ to: name("port") }, { to: name("port"), uuid: port.uuid ?? null }];
    const gateway = { virtual_network_refs: [{ to: name("public"), attr: null }] };
    expect(said(await make(lab, "logical-router", ["r"], { virtual_machine_interface_refs: [byName] }))).toEqual([500, "KeyError: 'uuid'"]);
    expect(said(await make(lab, "logical-router", ["r"], { virtual_machine_interface_refs: [byId], ...gateway }))).toEqual([
      500,
      "KeyError: 'uuid'",
    ]);
    expect((await make(lab, "logical-router", ["r"], { virtual_machine_interface_refs: [byId] })).status).toBe(200);
    expect(said(await change(lab, "logical-router", ["r"], gateway))).toEqual([500, "KeyError: 'uuid'"]);
    expect((await make(lab, "logical-router", ["no-port"], gateway)).status).toBe(200);
    const inner = await read(lab, "virtual-network", "inner");
    const same = await change(lab, "logical-router", ["r"], {
      virtual_network_refs: [{ to: name("inner"), uuid: inner.uuid ?? null, attr: null }],
    });
    expect(said(same)).toEqual([400, `Logical router interface and gateway cannot be inVN(${String(inner.uuid)})`]);
  });

  it("a router keeps its type, and its single annotations are stored and answered with 500", async () => {
    const lab = await world();
    await make(lab, "logical-router", ["r"], {});
    expect(await read(lab, "logical-router", "r")).toMatchObject({ logical_router_type: "snat-routing" });
    expect(said(await change(lab, "logical-router", ["r"], { logical_router_type: "vxlan-routing" }))).toEqual([
      400,
      "Cannot update logical_router_type for a Logical Router",
    ]);
    const { uuid = null } = await read(lab, "logical-router", "r");
    const pair = { key: "k", value: "v" };
    const updates = [{ field: "annotations", operation: "set", position: "k", value: pair }];
    expect(said(await call(lab, "POST", "/prop-collection-update", { uuid, updates }))).toEqual([500, "KeyError: 'uuid'"]);
    expect(await read(lab, "logical-router", "r")).toMatchObject({ annotations: { key_value_pair: [pair] } });
  });

  it("a router with VXLAN has an internal network, which loses its targets to a separate number, and is deleted with it", async () => {
    const lab = await world();
    const targets = { configured_route_target_list: { route_target: ["target:64512:50"] } };
    await make(lab, "logical-router", ["r"], { logical_router_type: "vxlan-routing", ...targets });
    const [reference] = (await read(lab, "logical-router", "r")).virtual_network_refs as JsonObject[];
    expect(reference).toMatchObject({ attr: { logical_router_virtual_network_type: "InternalVirtualNetwork" } });
    const inside = String((reference?.to as string[] | undefined)?.at(-1));
    expect(await read(lab, "virtual-network", inside)).toMatchObject({
      display_name: "LR::r",
      id_perms: { user_visible: false },
      route_target_list: { route_target: ["target:64512:50"] },
    });
    await change(lab, "logical-router", ["r"], { vxlan_network_identifier: "7001" });
    const after = await read(lab, "virtual-network", inside);
    expect(after).toMatchObject({ virtual_network_properties: { vxlan_network_identifier: 7001 } });
    expect(after.route_target_list).toBeUndefined();
    await change(lab, "logical-router", ["r"], { vxlan_network_identifier: "7002", ...targets });
    expect(await read(lab, "virtual-network", inside)).toMatchObject({ route_target_list: { route_target: ["target:64512:50"] } });
    const { uuid } = await read(lab, "logical-router", "r");
    expect((await call(lab, "DELETE", `/logical-router/${String(uuid)}`)).status).toBe(200);
    expect(await read(lab, "virtual-network", inside)).toEqual({});
  });

  it("pools of a subnet are added, and never removed or changed", async () => {
    const lab = await world();
    const to = (allocation_pools: JsonObject[]) => async () => {
      const { network_ipam_refs: refs } = await read(lab, "virtual-network", "inner");
      const [reference] = refs as { attr: { ipam_subnets: JsonObject[] } }[];
      const [first, ...others] = reference?.attr.ipam_subnets ?? [];
      const entries = [{ ...first, allocation_pools }, ...others];
      return await change(lab, "virtual-network", ["inner"], { network_ipam_refs: [{ ...reference, attr: { ipam_subnets: entries } }] });
    };
    expect((await to([POOL, OTHER_POOL])()).status).toBe(200);
    for (const fewer of [[], [POOL], [{ ...POOL, end: "10.1.0.61" }, OTHER_POOL]])
      expect(said(await to(fewer)())).toEqual([
        500,
        "Virtual-Network(default-domain:demo:inner) has invalid subnet(10.1.0.0/24:allocation pool delete is not allowed)",
      ]);
  });

  it("an address has the project of its name, belongs to the subnets of its pool, and is refused when in use", async () => {
    const lab = await world();
    const pooled = { parent_type: "floating-ip-pool" };
    await make(lab, "floating-ip", ["public", "pool", "a"], { ...pooled, floating_ip_address: "203.0.113.9" });
    expect(await read(lab, "floating-ip", "public", "pool", "a")).toMatchObject({ project_refs: [{ to: name() }] });
    expect(said(await make(lab, "floating-ip", ["public", "pool", "b"], { ...pooled, floating_ip_address: "203.0.113.9" }))).toEqual([
      409,
      "IP address already in use",
    ]);
    const network = await read(lab, "virtual-network", "inner");
    const second = subnets(network)[1]?.subnet_uuid ?? null;
    const of = (uuid: JsonObject[string]) => ({ parent_type: "virtual-network", floating_ip_pool_subnets: { subnet_uuid: [uuid] } });
    const nowhere = "11111111-1111-4111-8111-111111111111";
    expect(said(await make(lab, "floating-ip-pool", ["inner", "bad"], of(nowhere)))).toEqual([
      400,
      `Subnet ${nowhere} was not found in virtual-network ${String(network.uuid)}`,
    ]);
    await make(lab, "floating-ip-pool", ["inner", "p"], of(second));
    await make(lab, "floating-ip", ["inner", "p", "c"], pooled);
    expect(await read(lab, "floating-ip", "inner", "p", "c")).toMatchObject({ floating_ip_address: "10.2.0.252" });
    expect((await make(lab, "floating-ip", ["inner", "p", "d"], { ...pooled, floating_ip_address: "10.1.0.55" })).status).toBe(500);
  });

  it("a group's configured number counts if present, and is below generated ones", async () => {
    const lab = await world();
    const configured = (id: number) => ({ configured_security_group_id: id });
    await make(lab, "security-group", ["g"], configured(4711));
    expect(await read(lab, "security-group", "g")).toMatchObject({ security_group_id: 4711 });
    await change(lab, "security-group", ["g"], configured(0));
    expect(Number((await read(lab, "security-group", "g")).security_group_id)).toBeGreaterThanOrEqual(8_000_000);
    expect(said(await make(lab, "security-group", ["far"], configured(8_000_123)))).toEqual([
      400,
      "Bad property in create: Error validating property configured_security_group_id: value must be between 0 and 7999999",
    ]);
  });
});
