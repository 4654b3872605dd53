import { describe, expect, it } from "vitest";
import { CloudWorld } from "./cloud-world.js";

const ALL = `
networks: { n: { description: wished, subnets: { n-1: { cidr: 10.5.0.0/24 } } } }
routers: { r: { external_network: public, interfaces: [n-1] } }
security_groups: { g: { rules: [{ direction: ingress, protocol: tcp, port_range_min: 443, port_range_max: 443 }] } }
ports: { p: { network: n, security_groups: [g] } }
keypairs: { k: { public_key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g k@example } }
servers: { s: { image: cirros, flavor: m1.tiny, key_name: k, networks: [{ port: p }] } }
floatingips: { f: { pool: public, port: p } }
`;
const LAST = "networks: { last: {} }";

/**
 * Number of writes to create all objects: three for each object of the network service, its rule, interface and port; one for key pair and
 * server.
 */
const MAKING = 6 * 3 + 3 + 2;
/** Taking it down: an object each (subnets are deleted with their network), and the router's interface and gateway; `last` is made. */
const TAKING = 7 + 2 + 3;

/** A server that changes: its words, resize and confirmation, metadata, two tags, power. */
const CHANGED = `servers: { s: { $down: true, image: cirros, flavor: m1.small, key_name: k, networks: [{ port: p }], description: big, tags: [a, b], metadata: { role: db }, power: off } }`;
const CHANGING = 7;

function inventory({ lab }: CloudWorld): string[] {
  const demo = lab.world.as("demo");
  const { network, compute } = lab.world;
  const kinds = ["network", "subnet", "router", "security_group", "port"] as const;
  const objects = kinds.flatMap((kind) => network.visible(kind, demo).filter(({ tags }) => tags.length > 0 || kind === "network"));
  const floating = network.visible("floatingip", demo).map(({ tags: [key = "unmarked"] }) => key.replace("plumbline:key=", ""));
  return [...objects, ...compute.servers(demo.projectId)]
    .map(({ name }) => name)
    .concat(floating)
    .concat(compute.keyPairs.of(demo.userId).map(({ name }) => name))
    .sort();
}

const WITH_ALL = ["demo-key", "f", "g", "k", "n", "n-1", "p", "private", "public", "r", "s"];
const WITHOUT = ["demo-key", "last", "private", "public"];

const moments = (count: number) =>
  (["before", "after"] as const).flatMap((when) => Array.from({ length: count }, (_, at) => ({ when, atWrite: at + 1 })));

describe("a run that is killed", () => {
  it("has as many kill points as writes", async () => {
    const world = (await CloudWorld.start()).want(ALL);
    await world.reconciled();
    expect(world.writesSince(0)).toHaveLength(MAKING);
    const since = world.lab.journal.length;
    world.want(LAST);
    await world.reconciled();
    expect(world.writesSince(since)).toHaveLength(TAKING);
  });

  it.each([{ when: "never", atWrite: undefined } as const, ...moments(CHANGING)])(
    "$when write $atWrite of a server's changes: the next, with an empty state folder, completes them, with one resize",
    async (death) => {
      const world = (await CloudWorld.start()).want(ALL);
      await world.reconciled();
      const { compute } = world.lab.world;
      const [before] = compute.servers(world.lab.world.as("demo").projectId);
      world.want(ALL.replace(/^servers:.*$/m, CHANGED));
      const since = world.lab.journal.length;
      if (death.when !== "never") {
        world.death = death;
        expect((await world.reconcile()).error).toBeDefined();
        world.resurrect().cloneAnew();
      }
      await world.reconciled();
      if (death.when === "never") expect(world.writesSince(since)).toHaveLength(CHANGING);
      const [after, ...others] = compute.servers(world.lab.world.as("demo").projectId);
      expect(others).toEqual([]);
      expect(after).toMatchObject({
        id: before?.id,
        flavor: { name: "m1.small" },
        description: "big",
        vmState: "stopped",
        taskState: null,
      });
      expect(after).toMatchObject({ tags: ["a", "b"], metadata: { role: "db" } });
      expect(compute.actions.of(before?.id ?? "").map(({ action }) => action)).toEqual(["stop", "confirmResize", "resize", "create"]);
      expect((await world.plan()).plan?.changes).toEqual([]);
    },
  );

  it.each(moments(MAKING))(
    "$when write $atWrite of a creation: the next, with an empty state folder, converges, nothing twice",
    async (death) => {
      const world = (await CloudWorld.start()).want(ALL);
      world.death = death;
      expect((await world.reconcile()).error).toBeDefined();
      await world.resurrect().cloneAnew().reconciled();
      expect(inventory(world)).toEqual(WITH_ALL);
      expect((await world.plan()).plan?.changes).toEqual([]);
    },
  );

  it.each(moments(TAKING))("$when write $atWrite of a removal: the next, with an empty state folder, converges", async (death) => {
    const world = (await CloudWorld.start()).want(ALL);
    await world.reconciled();
    world.want(LAST);
    world.death = death;
    expect((await world.reconcile()).error).toBeDefined();
    await world.resurrect().cloneAnew().reconciled();
    expect(inventory(world)).toEqual(WITHOUT);
    expect((await world.plan()).plan?.changes).toEqual([]);
  });
});
