import { describe, expect, it } from "vitest";
import { exitCode } from "../../src/outcome/outcome.js";
import { CloudWorld } from "../targets/openstack/cloud-world.js";

describe("an object that a list omits and another object names", () => {
  const BASE = `
networks: { n: { subnets: { s: { cidr: 10.9.3.0/24 } } } }
ports: { parent: { network: n }, child: { network: n }, data: { network: n } }
trunks: { t: { port: parent, sub_ports: [{ port: child, segmentation_id: 5 }] } }
servers:
  own: { image: cirros, flavor: m1.tiny, networks: [{ network: n }], $down: true }
  given: { image: cirros, flavor: m1.tiny, networks: [{ port: data }], $down: true }
`;

  async function omit(list: "ports" | "networks", pick: (world: CloudWorld) => string) {
    const world = (await CloudWorld.start()).want(BASE);
    await world.reconciled();
    const before = shown(world);
    const effect = { kind: "leave-out", text: pick(world) } as const;
    world.lab.fault({ match: { method: "GET", path: `/v2.0/${list}` }, effect, count: 1000 });
    return { world, before, since: world.lab.journal.length };
  }

  const shown = ({ lab }: CloudWorld) => {
    const { network } = lab.world;
    return JSON.stringify([network.all("port"), network.all("trunk")]);
  };
  const port = (world: CloudWorld, fits: (each: { name: string; device_owner: string }) => boolean) =>
    `"id":"${world.lab.world.network.all("port").find(fits)?.id}"`;

  it.each<[string, "ports" | "networks", (world: CloudWorld) => string]>([
    [
      "the port that compute created",
      "ports",
      (world) => port(world, (each) => each.name === "" && each.device_owner.startsWith("compute:")),
    ],
    ["a declared port of a server", "ports", (world) => port(world, ({ name }) => name === "data")],
    ["a subport of a trunk", "ports", (world) => port(world, ({ name }) => name === "child")],
    ["the network of a server", "networks", ({ lab }) => `"id":"${lab.world.network.all("network").find(({ name }) => name === "n")?.id}"`],
  ])("is read by its id, and nothing is created or detached: %s", async (_, list, pick) => {
    const { world, before, since } = await omit(list, pick);
    expect((await world.plan()).plan?.changes).toEqual([]);
    expect(exitCode([await world.reconcile()])).toBe(0);
    expect(world.writesSince(since)).toEqual([]);
    expect(shown(world)).toBe(before);
  });

  it("stops the change of a server if os-interface omits the port too, and creates no second interface", async () => {
    const { world, before, since } = await omit("ports", (each) =>
      port(each, ({ name, device_owner }) => name === "" && device_owner.startsWith("compute:")),
    );
    const own = world.lab.world.network.all("port").find(({ name, device_owner }) => name === "" && device_owner.startsWith("compute:"));
    world.lab.fault({ match: { method: "GET", path: "/os-interface" }, effect: { kind: "leave-out", text: `"${own?.id}"` }, count: 1000 });
    const outcome = await world.reconcile();
    expect(outcome.error?.message).toContain(`MAC address ${own?.mac_address}, whose port no list shows`);
    expect(world.writesSince(since)).toEqual([]);
    expect(shown(world)).toBe(before);
  });
});
