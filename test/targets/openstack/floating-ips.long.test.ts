import { describe, expect, it } from "vitest";
import type { FloatingIp } from "../../../src/lab/openstack/network/floating-ip.js";
import { exitCode, type TargetOutcome } from "../../../src/outcome/outcome.js";
import { CloudWorld } from "./cloud-world.js";

const BASE = `
networks: { web: { subnets: { web-a: { cidr: 10.1.0.0/24 } } } }
routers: { edge: { external_network: public, interfaces: [web-a] } }
ports: { vip: { network: web, fixed_ips: [{ subnet: web-a, ip_address: 10.1.0.10 }] } }
servers:
  web-1: { image: cirros, flavor: m1.tiny, networks: [{ network: web }] }
  web-2: { image: cirros, flavor: m1.tiny, networks: [{ port: vip }] }
`;
const DECLARED = `${BASE}floatingips:
  front: { pool: public, server: web-1, description: what the world calls }
  back: { pool: public, port: vip }
  spare: { pool: public }
`;

const changed = (outcome: TargetOutcome) =>
  (outcome.drift?.items.map(({ change }) => change) ?? outcome.plan?.changes ?? []).map(({ kind, path }) => `${kind} ${path}`).sort();

const all = ({ lab }: CloudWorld): FloatingIp[] => lab.world.network.all("floatingip");

function keyed(world: CloudWorld, key: string): FloatingIp {
  const [found, ...others] = all(world).filter(({ tags }) => tags.includes(`plumbline:key=${key}`));
  if (found === undefined || others.length > 0) throw new Error(`${others.length} more than one floating IP are ${key}`);
  return found;
}

const portOf = ({ lab }: CloudWorld, name: string): string => {
  const { compute, network } = lab.world;
  const server = compute.servers(lab.world.as("demo").projectId).find((each) => each.name === name);
  return network.ports.ofDevice(server?.id ?? "")[0]?.id ?? "";
};

async function standing(documents = DECLARED): Promise<CloudWorld> {
  const world = (await CloudWorld.start()).want(documents);
  await world.reconciled();
  return world;
}

describe("floating IPs", () => {
  it("are created once, marked, on the port of a server or on a port, and no difference remains", async () => {
    const world = await standing();
    expect(all(world)).toHaveLength(3);
    expect(keyed(world, "front")).toMatchObject({
      description: "what the world calls",
      port_id: portOf(world, "web-1"),
      tags: ["plumbline:key=front", "plumbline:owner=netops"],
    });
    expect(keyed(world, "back")).toMatchObject({ description: "", fixed_ip_address: "10.1.0.10" });
    expect(keyed(world, "spare")).toMatchObject({ port_id: null });
    const since = world.lab.journal.length;
    expect(changed(await world.reconciled())).toEqual([]);
    expect(world.writesSince(since)).toEqual([]);
  });

  it("on a server's own port may be declared on either", async () => {
    const world = await standing();
    const since = world.lab.journal.length;
    world.want(DECLARED.replace("port: vip }\n  spare", "server: web-2 }\n  spare"));
    expect(changed(await world.reconciled())).toEqual([]);
    expect(world.writesSince(since)).toEqual([]);
  });

  it("keep address and id when the server is replaced, and lead to the new one", async () => {
    const world = await standing();
    const before = keyed(world, "front");
    const [address, port] = [before.floating_ip_address, before.port_id];
    world.want(DECLARED.replace("m1.tiny, networks: [{ network: web }]", "m1.small, $replace: true, networks: [{ network: web }]"));
    await world.reconciled();
    const after = keyed(world, "front");
    expect(after).toMatchObject({ id: before.id, floating_ip_address: address, port_id: portOf(world, "web-1") });
    expect(after.port_id).not.toBe(port);
    expect(changed(await world.plan())).toEqual([]);
  });

  it("are moved, detached and described in place", async () => {
    const world = await standing();
    const ids = all(world).map(({ id }) => id);
    world.want(
      DECLARED.replace("server: web-1, description: what the world calls", "port: vip, description: moved").replace(
        "back: { pool: public, port: vip }",
        "back: { pool: public }",
      ),
    );
    await world.reconciled();
    expect(keyed(world, "front")).toMatchObject({ fixed_ip_address: "10.1.0.10", description: "moved" });
    expect(keyed(world, "back").port_id).toBeNull();
    expect(all(world).map(({ id }) => id)).toEqual(ids);
  });

  it("exchange their ports", async () => {
    const world = await standing();
    world.want(
      DECLARED.replace("server: web-1, description", "port: vip, description").replace("port: vip }\n  spare", "server: web-1 }\n  spare"),
    );
    await world.reconciled();
    expect(keyed(world, "front").fixed_ip_address).toBe("10.1.0.10");
    expect(keyed(world, "back").port_id).toBe(portOf(world, "web-1"));
  });

  it("stay in their pool unless they may be replaced", async () => {
    const world = await standing();
    world.act("POST", "/v2.0/networks", { network: { name: "other", "router:external": true } }, "admin");
    world.want(DECLARED.replace("spare: { pool: public }", "spare: { pool: other }"));
    const refused = await world.reconcile();
    expect(exitCode([refused])).toBe(3);
    expect(refused.plan?.refusals).toMatchObject([{ guard: "replace", message: expect.stringContaining('"pool" of "spare"') }]);
  });

  it("are deleted by ledger and mark, before their router, and those of others stay", async () => {
    const world = await standing();
    world.act("POST", "/v2.0/floatingips", { floatingip: { floating_network_id: keyed(world, "front").floating_network_id } });
    world.want("networks: { last: {} }");
    await world.reconciled();
    expect(all(world).map(({ tags }) => tags)).toEqual([[]]);
    expect(changed(await world.plan())).toEqual([]);
  });

  it("of others are named by their address, taken over by it and given a name", async () => {
    const world = await standing(BASE);
    const { lab } = world;
    const pool = lab.world.network.all("network").find(({ name }) => name === "public")?.id ?? "";
    const { body } = world.act("POST", "/v2.0/floatingips", { floatingip: { floating_network_id: pool, description: "by hand" } });
    const { id, floating_ip_address: address } = (body as { floatingip: FloatingIp }).floatingip;
    world.want(`${BASE}floatingips: { "${address}": { pool: public, port: vip } }`);
    expect(exitCode([await world.reconcile()])).toBe(3);
    world.want(`${BASE}floatingips: { "${address}": { $adopt: true, pool: public, port: vip } }`);
    await world.reconciled();
    world.want(`${BASE}floatingips: { mine: { $was: "${address}", pool: public, port: vip } }`);
    await world.reconciled();
    expect(all(world)).toHaveLength(1);
    expect(keyed(world, "mine")).toMatchObject({ id, floating_ip_address: address, fixed_ip_address: "10.1.0.10" });
    expect(changed(await world.plan())).toEqual([]);
  });
});

describe("floating IPs that another user changes", () => {
  it("are restored if detached or moved to another port", async () => {
    const world = await standing();
    const { id } = keyed(world, "front");
    world.act("PUT", `/v2.0/floatingips/${id}`, { floatingip: { port_id: null } });
    expect(changed(await world.drift())).toEqual(["missing /openstack/floatingips/entry[@name='front']/server"]);
    await world.reconciled();
    expect(keyed(world, "front")).toMatchObject({ id, port_id: portOf(world, "web-1") });
    world.act("PUT", `/v2.0/floatingips/${keyed(world, "back").id}`, { floatingip: { port_id: null } });
    world.act("PUT", `/v2.0/floatingips/${id}`, { floatingip: { port_id: portOf(world, "web-2") } });
    world.act("PUT", `/v2.0/floatingips/${keyed(world, "spare").id}`, { floatingip: { port_id: portOf(world, "web-1") } });
    await world.reconciled();
    expect(keyed(world, "front").port_id).toBe(portOf(world, "web-1"));
    expect(keyed(world, "back").fixed_ip_address).toBe("10.1.0.10");
    expect(keyed(world, "spare").port_id).toBeNull();
  });

  it("are created again if deleted, with another address", async () => {
    const world = await standing();
    const { id } = keyed(world, "back");
    world.act("DELETE", `/v2.0/floatingips/${id}`);
    await world.reconciled();
    expect(keyed(world, "back")).toMatchObject({ fixed_ip_address: "10.1.0.10" });
    expect(keyed(world, "back").id).not.toBe(id);
  });

  it("are not mistaken for one with the same description, and one without its mark is kept", async () => {
    const world = await standing();
    const { id, floating_network_id } = keyed(world, "front");
    const description = "what the world calls";
    world.act("POST", "/v2.0/floatingips", { floatingip: { floating_network_id, description } });
    expect(changed(await world.reconciled())).toEqual([]);
    expect(all(world)).toHaveLength(4);
    world.want(DECLARED.replace(/ {2}front:.*\n/, ""));
    world.act("PUT", `/v2.0/floatingips/${id}/tags`, { tags: [] });
    await world.reconcile();
    expect(all(world)).toHaveLength(4);
  });

  it("that are only readable by id are hidden, not deleted, and not created a second time", async () => {
    const world = await standing();
    const { id } = keyed(world, "back");
    const gone = { kind: "leave-out" as const, text: id };
    world.lab.fault({ match: { method: "GET", path: "/v2.0/floatingips" }, effect: gone, count: 100 });
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(3);
    expect(JSON.stringify(outcome.plan?.refusals)).toContain("object-hidden");
    expect(all(world)).toHaveLength(3);
  });

  it("are refused, not moved, if they were moved since the plan", async () => {
    const world = await standing(`${BASE}floatingips: { spare: { pool: public } }`);
    const { id } = keyed(world, "spare");
    world.want(`${BASE}floatingips: { spare: { pool: public, port: vip } }`);
    const port = portOf(world, "web-1");
    const run = () => void world.act("PUT", `/v2.0/floatingips/${id}`, { floatingip: { port_id: port } });
    world.lab.fault({ match: { method: "GET", path: `/v2.0/floatingips/${id}` }, effect: { kind: "call", run } });
    const outcome = await world.reconcile();
    expect(outcome.error?.message).toContain("was changed since the plan");
    expect(keyed(world, "spare").port_id).toBe(port);
  });
});

describe("failing floating IPs", () => {
  it("are single, if the reply to the create is lost", async () => {
    const world = (await CloudWorld.start()).want(DECLARED);
    world.lab.fault({ match: { method: "POST", path: "/v2.0/floatingips" }, effect: { kind: "drop-reply" }, count: 3 });
    await world.reconciled();
    expect(all(world)).toHaveLength(3);
    expect(changed(await world.plan())).toEqual([]);
  });

  it("report an empty pool and a full quota, and existing ones stay; a second run converges", async () => {
    const world = (await CloudWorld.start()).want(DECLARED);
    const project = world.lab.world.as("demo").projectId ?? "";
    world.act("PUT", `/v2.0/quotas/${project}`, { quota: { floatingip: 1 } }, "admin");
    const full = await world.reconcile();
    expect(exitCode([full])).toBe(4);
    expect(full.error?.message).toContain("Quota exceeded for resources: ['floatingip'].");
    expect(all(world)).toHaveLength(1);
    world.act("DELETE", `/v2.0/quotas/${project}`, undefined, "admin");
    const refusal = {
      kind: "refuse" as const,
      status: 409,
      type: "IpAddressGenerationFailure",
      message: "No more IP addresses available.",
    };
    world.lab.fault({ match: { method: "POST", path: "/v2.0/floatingips" }, effect: refusal, count: 2 });
    const empty = await world.reconcile();
    expect(exitCode([empty])).toBe(1);
    expect(empty.error?.message).toContain("No more IP addresses");
    await world.reconciled();
    expect(all(world)).toHaveLength(3);
    expect(changed(await world.plan())).toEqual([]);
  });

  it("report an ambiguous address, and a missing router, and keep created ones", async () => {
    const world = (await CloudWorld.start()).want(
      `${BASE.replace(", interfaces: [web-a]", "").replace(
        "networks: [{ network: web }]",
        "networks: [{ network: web }, { network: private }]",
      )}floatingips: { front: { pool: public, server: web-1 }, back: { pool: public, port: vip } }`,
    );
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(4);
    expect(outcome.error?.message).toContain("several addresses");
    expect(outcome.error?.message).toContain("not reachable");
    expect(all(world)).toHaveLength(2);
  });

  it("hold their subnet, are named, and let it be replaced once they are detached", async () => {
    const documents = `${BASE}floatingips: { back: { pool: public, port: vip } }`.replace(/servers:\n.*\n.*\n/, "");
    const world = await standing(documents);
    const other = documents.replace("cidr: 10.1.0.0/24", "$replace: true, cidr: 10.7.0.0/24").replace("10.1.0.10", "10.7.0.10");
    world.want(other);
    const held = await world.reconcile();
    expect(exitCode([held])).not.toBe(0);
    expect(held.error?.message).toContain(keyed(world, "back").floating_ip_address);
    world.want(other.replace("pool: public, port: vip", "pool: public"));
    await world.reconciled();
    world.want(other);
    await world.reconciled();
    expect(keyed(world, "back").fixed_ip_address).toBe("10.7.0.10");
    expect(changed(await world.plan())).toEqual([]);
  });

  it("name the existing floating IP of another user", async () => {
    const world = await standing(BASE);
    const pool = world.lab.world.network.all("network").find(({ name }) => name === "public")?.id ?? "";
    world.act("POST", "/v2.0/floatingips", { floatingip: { floating_network_id: pool, port_id: portOf(world, "web-2") } });
    world.want(DECLARED);
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(4);
    expect(outcome.error?.message).toContain(all(world)[0]?.floating_ip_address ?? "none");
  });
});
