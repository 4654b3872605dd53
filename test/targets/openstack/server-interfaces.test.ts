import { describe, expect, it } from "vitest";
import { exitCode } from "../../../src/outcome/outcome.js";
import { CloudWorld } from "./cloud-world.js";

const BASE = "networks: { n: { subnets: { s: { cidr: 10.9.1.0/24 } } } }\n";
const server = (more: string) => `${BASE}servers: { web: { image: cirros, flavor: m1.tiny, ${more} } }`;
const CONFIG = server("networks: [{ network: n }]");

/** Another user detaches the only interface of the server. */
function lose(world: CloudWorld): void {
  const [port] = world.lab.world.network.all("port").filter(({ device_owner }) => device_owner.startsWith("compute"));
  world.act("DELETE", `/v2.0/ports/${port?.id}`);
}

describe("interfaces of a server", () => {
  it("that are all gone are drift, and one is restored in place", async () => {
    const world = (await CloudWorld.start()).want(CONFIG);
    await world.reconciled();
    expect((await world.plan()).plan?.changes).toEqual([]);
    lose(world);
    const planned = await world.plan();
    expect(planned.plan?.changes.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
      expect.stringMatching(/^missing \/openstack\/servers\/entry\[@name='web'\]\/networks\/entry/),
    ]);
    expect(exitCode([planned])).toBe(2);
    await world.reconciled();
    expect((await world.plan()).plan?.changes).toEqual([]);
    expect(world.lab.world.network.all("port").filter(({ device_owner }) => device_owner.startsWith("compute"))).toHaveLength(1);
  });

  it("that a server never had are no difference without a declaration", async () => {
    const world = (await CloudWorld.start()).want("servers: { web: { image: cirros, flavor: m1.tiny, tags: [bare] } }");
    await world.reconciled();
    expect((await world.plan()).plan?.changes).toEqual([]);
    expect((await world.plan()).plan?.refusals).toEqual([]);
  });

  it("of which one is removed while its security groups change are named by the remaining ones", async () => {
    const nets = "networks: { n: { subnets: { s: { cidr: 10.9.1.0/24 } } }, m: { subnets: { t: { cidr: 10.9.2.0/24 } } } }";
    const two = (more: string) =>
      `security_groups: { front: {} }\n${nets}\nservers: { web: { image: cirros, flavor: m1.tiny, networks: [{ network: n }, { network: m }]${more} } }`;
    const world = (await CloudWorld.start()).want(two(""));
    await world.reconciled();
    const [id] = world.lab.world.network
      .all("port")
      .flatMap(({ device_owner, id: port }) => (device_owner.startsWith("compute") ? [port] : []));
    world.want(two(", security_groups: [front]"));
    const go = () => void world.act("DELETE", `/v2.0/ports/${id}`);
    world.lab.fault({ match: { method: "PUT", path: `/ports/${id}` }, effect: { kind: "call", run: go } });
    const outcome = await world.reconcile();
    expect(outcome.error?.code).not.toBe("partly-applied");
    await world.reconciled();
    expect((await world.plan()).plan?.changes).toEqual([]);
  });
});

describe("a port that a person created and attached to a server", () => {
  it("does not prevent the deletion of its server and network in one run", async () => {
    const world = (await CloudWorld.start()).want(CONFIG);
    await world.reconciled();
    const [port] = world.lab.world.network.all("port").filter(({ device_owner }) => device_owner.startsWith("compute"));
    world.act("PUT", `/v2.0/ports/${port?.id}`, { port: { name: "vip" } });
    world.want("networks: { last: {} }");
    await world.reconciled();
    expect(world.lab.world.network.all("network").some(({ name }) => name === "n")).toBe(false);
  });

  const attached = (name: string) => `${server(`networks: [{ port: vip }]`)}\nports: { vip: { ${name}network: n } }`;

  it("is adopted without an interruption of the server", async () => {
    const world = (await CloudWorld.start()).want(CONFIG);
    await world.reconciled();
    const [port] = world.lab.world.network.all("port").filter(({ device_owner }) => device_owner.startsWith("compute"));
    world.act("PUT", `/v2.0/ports/${port?.id}`, { port: { name: "vip" } });
    expect((await world.plan()).plan?.changes).toEqual([]);
    world.want(attached(""));
    expect((await world.plan()).plan?.refusals.map(({ message }) => message)).toEqual([
      expect.stringContaining("$adopt: true takes it over"),
    ]);
    world.want(attached("$adopt: true, "));
    const planned = (await world.plan()).plan;
    expect(planned?.refusals).toEqual([]);
    expect(planned?.changes.map(({ kind, path }) => `${kind} ${path}`)).toEqual(["missing /openstack/ports/entry[@name='vip']/owner"]);
    const since = world.lab.journal.length;
    await world.reconciled();
    expect(world.writesSince(since).filter((write) => write.includes("os-interface"))).toEqual([]);
    expect((await world.plan()).plan?.changes).toEqual([]);
    expect(world.lab.world.network.all("port").find(({ id }) => id === port?.id)?.device_id).toBe(port?.device_id);
  });
});
