import { describe, expect, it } from "vitest";
import { exitCode, type TargetOutcome } from "../../../src/outcome/outcome.js";
import { CloudWorld } from "./cloud-world.js";

const BASE = "networks: { web: { subnets: { web-a: { cidr: 10.1.0.0/24 }, web-b: { cidr: 10.2.0.0/24 } } } }\n";
const PORT = "ports: { gate: { network: web, description: of the router, fixed_ips: [{ subnet: web-a, ip_address: 10.1.0.254 }] } }\n";
const router = (fields: string) => `routers: { edge: { ${fields} } }\n`;
const BY_PORT = `${BASE}${PORT}${router("interface_ports: [gate], interfaces: [web-b]")}`;

const changed = (outcome: TargetOutcome) => (outcome.plan?.changes ?? []).map(({ kind, path }) => `${kind} ${path.tag}`);
const named = ({ lab }: CloudWorld, kind: "router" | "port", name: string) =>
  lab.world.network.all(kind).find((each) => each.name === name);

/** Addresses of the router's interfaces. */
const interfaces = (world: CloudWorld): string[] =>
  world.lab.world.network.ports
    .ofDevice(named(world, "router", "edge")?.id ?? "")
    .filter(({ device_owner }) => device_owner === "network:router_interface")
    .flatMap(({ fixed_ips }) => fixed_ips.map(({ ip_address }) => ip_address))
    .sort();

async function standing(documents: string): Promise<CloudWorld> {
  const world = (await CloudWorld.start()).want(documents);
  await world.reconciled();
  expect(changed(await world.plan())).toEqual([]);
  return world;
}

describe("a router's interface by a port", () => {
  it("has the port's own address, next to one by a subnet, and is healed if removed", async () => {
    const world = await standing(BY_PORT);
    expect(interfaces(world)).toEqual(["10.1.0.254", "10.2.0.1"]);
    const port = named(world, "port", "gate")?.id;
    world.act("PUT", `/v2.0/routers/${named(world, "router", "edge")?.id}/remove_router_interface`, { port_id: port });
    expect(named(world, "port", "gate")).toBeUndefined();
    await world.reconciled();
    expect(interfaces(world)).toEqual(["10.1.0.254", "10.2.0.1"]);
    expect(changed(await world.plan())).toEqual([]);
  });

  it("is removed, and the port stays as declared, though the service deletes it", async () => {
    const world = await standing(BY_PORT);
    world.want(`${BASE}${PORT}${router("interfaces: [web-b]")}`);
    await world.reconciled();
    expect(interfaces(world)).toEqual(["10.2.0.1"]);
    expect(named(world, "port", "gate")).toMatchObject({
      device_id: "",
      description: "of the router",
      fixed_ips: [{ ip_address: "10.1.0.254" }],
    });
    expect(changed(await world.plan())).toEqual([]);
    world.want(BY_PORT);
    await world.reconciled();
    world.want(`${BASE}${PORT}`);
    await world.reconciled();
    expect(named(world, "port", "gate")).toMatchObject({ device_id: "", fixed_ips: [{ ip_address: "10.1.0.254" }] });
  });

  it("replaces one by the subnet, and is replaced by it", async () => {
    const world = await standing(`${BASE}${PORT}${router("interfaces: [web-a]")}`);
    expect(interfaces(world)).toEqual(["10.1.0.1"]);
    world.want(`${BASE}${PORT}${router("interface_ports: [gate]")}`);
    await world.reconciled();
    expect(interfaces(world)).toEqual(["10.1.0.254"]);
    world.want(`${BASE}${PORT}${router("interfaces: [web-a]")}`);
    await world.reconciled();
    expect(interfaces(world)).toEqual(["10.1.0.1"]);
    expect(changed(await world.plan())).toEqual([]);
  });

  it("is deleted with everything that it needs, and prevents a deletion of only the port", async () => {
    const world = await standing(BY_PORT);
    world.want(`${BASE}${router("$partial: true")}`);
    const refused = await world.reconcile();
    expect(exitCode([refused])).toBe(3);
    expect(refused.plan?.refusals[0]).toMatchObject({ guard: "referrers" });
    world.want("networks: { last: {} }");
    await world.reconciled();
    expect([named(world, "router", "edge"), named(world, "port", "gate")]).toEqual([undefined, undefined]);
    expect(changed(await world.plan())).toEqual([]);
  });

  it("on a port of a service is refused with the service's text, and a second run converges", async () => {
    const world = (await CloudWorld.start()).want(`${BASE}${PORT}`);
    await world.reconciled();
    const id = named(world, "port", "gate")?.id;
    world.act("PUT", `/v2.0/ports/${id}`, { port: { device_id: "balancer", device_owner: "network:loadbalancer" } });
    world.want(`${BASE}${PORT}${router("interface_ports: [gate]")}`);
    const refused = await world.reconcile();
    expect(exitCode([refused])).toBe(4);
    expect(refused.error?.message).toContain("Port already has an attached device balancer");
    world.act("PUT", `/v2.0/ports/${id}`, { port: { device_id: "", device_owner: "" } });
    await world.reconciled();
    expect(interfaces(world)).toEqual(["10.1.0.254"]);
  });

  it("keeps its address: another one is refused with the next step", async () => {
    const world = await standing(BY_PORT);
    world.want(BY_PORT.replace("10.1.0.254", "10.1.0.253"));
    const refused = await world.reconcile();
    expect(exitCode([refused])).toBe(1);
    expect(refused.error?.next).toContain("interface_ports");
    expect(interfaces(world)).toEqual(["10.1.0.254", "10.2.0.1"]);
  });
});

describe("several external addresses of a router", () => {
  const edge = (...rows: string[]) =>
    router(
      `external_network: public, external_fixed_ips: [${rows.map((row) => `{ subnet: public-subnet, ip_address: ${row} }`).join(", ")}]`,
    );
  const external = (world: CloudWorld): string[] =>
    world.lab.world.network
      .all("router")
      .find(({ name }) => name === "edge")
      ?.external_gateway_info?.external_fixed_ips.map(({ ip_address }) => ip_address)
      .sort() ?? [];

  it("are set by an administrator, without order, changed and healed in place", async () => {
    const world = await CloudWorld.start();
    world.user = "admin";
    world.project = "admin";
    world.want(edge("203.0.113.99", "203.0.113.9"));
    await world.reconciled();
    expect(external(world)).toEqual(["203.0.113.9", "203.0.113.99"]);
    world.want(edge("203.0.113.9", "203.0.113.99"));
    expect(changed(await world.plan())).toEqual([]);
    world.want(edge("203.0.113.98", "203.0.113.9", "203.0.113.99"));
    await world.reconciled();
    expect(external(world)).toHaveLength(3);
    const gateway = { network_id: world.lab.world.network.all("network").find(({ name }) => name === "public")?.id };
    const body = { router: { external_gateway_info: { ...gateway, external_fixed_ips: [{ ip_address: "203.0.113.50" }] } } };
    world.act("PUT", `/v2.0/routers/${named(world, "router", "edge")?.id}`, body, "admin");
    await world.reconciled();
    expect(external(world)).toEqual(["203.0.113.9", "203.0.113.98", "203.0.113.99"]);
  });

  it("are refused to members, with the next step", async () => {
    const world = (await CloudWorld.start()).want(edge("203.0.113.99").replace("subnet: public-subnet, ", ""));
    const refused = await world.reconcile();
    expect(refused.error?.next).toContain("Only an administrator");
  });
});
