import { describe, expect, it } from "vitest";
import { exitCode, type TargetOutcome } from "../../../src/outcome/outcome.js";
import { CloudWorld } from "./cloud-world.js";

const port = (fields: string) =>
  `networks: { web: { subnets: { web-a: { cidr: 10.1.0.0/24 }, web-b: { cidr: 10.2.0.0/24 } } } }\nports: { vip: { network: web, ${fields} } }`;
const ips = (...rows: string[]) => port(`fixed_ips: [${rows.map((row) => `{ ${row} }`).join(", ")}]`);
const pairs = (...rows: string[]) => port(`allowed_address_pairs: [${rows.map((row) => `{ ${row} }`).join(", ")}]`);

const vip = ({ lab }: CloudWorld) => {
  const found = lab.world.network.all("port").find(({ name }) => name === "vip");
  if (found === undefined) throw new Error("there is no port vip");
  return found;
};
const addresses = (world: CloudWorld) => vip(world).fixed_ips.map(({ ip_address }) => ip_address);
const changed = (outcome: TargetOutcome) => (outcome.plan?.changes ?? []).map(({ kind, path }) => `${kind} ${path.tag}`);

async function standing(documents: string): Promise<CloudWorld> {
  const world = (await CloudWorld.start()).want(documents);
  await world.reconciled();
  expect(changed(await world.plan())).toEqual([]);
  return world;
}

it("new ports and floating IPs with a declared address are created before those that the service gives an address", async () => {
  const world = (await CloudWorld.start()).want(`
networks: { web: { subnets: { web-a: { cidr: 10.1.0.0/29 } } } }
security_groups: { late: {} }
ports:
  a: { network: web }
  z: { network: web, security_groups: [late], fixed_ips: [{ subnet: web-a, ip_address: 10.1.0.2 }] }
servers: { s: { image: cirros, flavor: m1.tiny, networks: [{ network: web }] } }`);
  await world.reconciled();
  const posted = world.lab.journal.filter(({ method, path }) => method === "POST" && /ports$|servers$/.test(path));
  expect(posted.map(({ body }) => JSON.stringify(body))).toEqual([
    expect.stringContaining("10.1.0.2"),
    expect.stringContaining("plumbline:key=a"),
    expect.stringContaining("cirros"),
  ]);
  expect((await world.plan()).plan?.changes).toEqual([]);
});

describe("several fixed addresses of a port on one subnet", () => {
  it("have no order, and change, are added and removed separately", async () => {
    const world = await standing(ips("subnet: web-a, ip_address: 10.1.0.30", "subnet: web-a, ip_address: 10.1.0.9", "subnet: web-b"));
    expect(addresses(world)).toEqual(expect.arrayContaining(["10.1.0.9", "10.1.0.30"]));
    const { id } = vip(world);
    const third = addresses(world).find((each) => each.startsWith("10.2."));
    world.want(ips("subnet: web-b", "subnet: web-a, ip_address: 10.1.0.9", "subnet: web-a, ip_address: 10.1.0.30"));
    expect(changed(await world.plan())).toEqual([]);
    world.want(
      ips("subnet: web-b", "subnet: web-a, ip_address: 10.1.0.31", "subnet: web-a, ip_address: 10.1.0.9", "ip_address: 10.1.0.40"),
    );
    await world.reconciled();
    expect(addresses(world).sort()).toEqual(["10.1.0.31", "10.1.0.40", "10.1.0.9", third].sort());
    expect(changed(await world.plan())).toEqual([]);
    world.want(ips("subnet: web-a, ip_address: 10.1.0.40"));
    await world.reconciled();
    expect([addresses(world), vip(world).id]).toEqual([["10.1.0.40"], id]);
  });

  it("without a value are any free ones, and stay", async () => {
    const world = await standing(ips("subnet: web-a", "subnet: web-a, ip_address: 10.1.0.200"));
    const before = addresses(world);
    expect(before).toHaveLength(2);
    world.want(ips("subnet: web-a, ip_address: 10.1.0.100", "subnet: web-a", "subnet: web-b"));
    await world.reconciled();
    expect(addresses(world)).toContain("10.1.0.100");
    expect(addresses(world)).toHaveLength(3);
    expect(addresses(world).filter((each) => before.includes(each))).toHaveLength(1);
    expect(changed(await world.plan())).toEqual([]);
  });

  it("are declared once each", async () => {
    const world = (await CloudWorld.start()).want(ips("subnet: web-a, ip_address: 10.1.0.9", "subnet: web-a, ip_address: 10.1.0.9"));
    await expect(world.plan()).rejects.toThrow("The list has two equal entries");
  });

  it("that another user adds or removes are drift, and the rest stays", async () => {
    const world = await standing(ips("subnet: web-a, ip_address: 10.1.0.9", "subnet: web-a, ip_address: 10.1.0.30"));
    const { id, fixed_ips } = vip(world);
    world.act("PUT", `/v2.0/ports/${id}`, { port: { fixed_ips: [...fixed_ips, { ip_address: "10.1.0.5" }] } });
    const drift = await world.drift();
    expect(drift.drift?.items.map(({ change: { kind, path } }) => `${kind} ${path.tag}`)).toEqual(["extra entry"]);
    await world.reconciled();
    expect(addresses(world).sort()).toEqual(["10.1.0.30", "10.1.0.9"]);
    world.act("PUT", `/v2.0/ports/${id}`, { port: { fixed_ips: [{ ip_address: "10.1.0.30" }] } });
    await world.reconciled();
    expect(addresses(world).sort()).toEqual(["10.1.0.30", "10.1.0.9"]);
  });
});

describe("allowed address pairs", () => {
  it("with and without a MAC address are set, unchanged while valid, and removed", async () => {
    const world = await standing(
      pairs("ip_address: 10.1.0.99", "ip_address: 10.1.0.99, mac_address: '00:11:22:33:44:55'", "ip_address: 10.3.0.0/24"),
    );
    const own = vip(world).mac_address;
    expect(vip(world).allowed_address_pairs).toEqual([
      { ip_address: "10.1.0.99", mac_address: "00:11:22:33:44:55" },
      { ip_address: "10.1.0.99", mac_address: own },
      { ip_address: "10.3.0.0/24", mac_address: own },
    ]);
    world.want(pairs(`ip_address: 10.1.0.99, mac_address: '${own.toUpperCase()}'`, "ip_address: 10.3.0.0/24"));
    await world.reconciled();
    expect(vip(world).allowed_address_pairs.map(({ mac_address }) => mac_address)).toEqual([own, own]);
    expect(changed(await world.plan())).toEqual([]);
    world.want(port("admin_state_up: true"));
    await world.reconciled();
    expect(vip(world).allowed_address_pairs).toEqual([]);
  });

  it("are healed: one removed, one added, one with another MAC address", async () => {
    const world = await standing(pairs("ip_address: 10.1.0.99"));
    const own = vip(world).mac_address;
    for (const held of [
      [],
      [{ ip_address: "10.1.0.99" }, { ip_address: "10.1.0.98" }],
      [{ ip_address: "10.1.0.99", mac_address: "00:11:22:33:44:55" }],
    ]) {
      world.act("PUT", `/v2.0/ports/${vip(world).id}`, { port: { allowed_address_pairs: held } });
      expect((await world.drift()).drift?.items).not.toEqual([]);
      await world.reconciled();
      expect(vip(world).allowed_address_pairs).toEqual([{ ip_address: "10.1.0.99", mac_address: own }]);
    }
  });

  it("require port security, and report it", async () => {
    const world = (await CloudWorld.start()).want(
      pairs("ip_address: 10.1.0.99").replace("network: web,", "network: web, port_security_enabled: false,"),
    );
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(4);
    expect(outcome.error).toMatchObject({
      message: expect.stringContaining("Port Security must be enabled"),
      next: expect.stringContaining("port_security_enabled"),
    });
    world.want(pairs("ip_address: 10.1.0.99"));
    await world.reconciled();
    expect(vip(world).allowed_address_pairs).toHaveLength(1);
  });
});
