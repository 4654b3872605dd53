import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { exitCode } from "../../src/outcome/outcome.js";
import { OTHERS, withRoles } from "../targets/contrail/roles.js";
import { CloudWorld } from "../targets/openstack/cloud-world.js";

/** 4 of docs/design.md, for single objects: what a missing right hides is neither gone nor made a second time. */

const BLUE = "default-domain:demo:blue";
const GREEN = "default-domain:demo:green";
const BOTH = `virtual-networks: { "${BLUE}": {}, "${GREEN}": {} }`;

async function oneHidden() {
  const { world } = await withRoles();
  await world.reconciled(BOTH);
  const uuid = world.object("virtual-network", BLUE)?.uuid ?? "";
  const perms2 = world.object("virtual-network", BLUE)?.properties.perms2 ?? {};
  world.lab.world.update("virtual-network", uuid, OTHERS);
  return { world, uuid, show: () => world.lab.world.update("virtual-network", uuid, { perms2 }) };
}

describe("one network that a controller hides", () => {
  it("is an error in plan, drift and reconcile, and nothing is written", async () => {
    const { world, show } = await oneHidden();
    const since = world.lab.journal.length;
    for (const outcome of [await world.plan(), await world.drift(), await world.reconcile()]) {
      expect(outcome.error).toMatchObject({ code: "object-hidden", message: expect.stringMatching(/blue.*Permission Denied/) });
      expect(exitCode([outcome])).toBe(3);
    }
    expect(world.writes(since)).toEqual([]);
    show();
    expect(exitCode([await world.plan()])).toBe(0);
  });

  it("stays in the ledger although nobody wants it any more, and goes when it is shown again", async () => {
    const { world, uuid, show } = await oneHidden();
    world.want(`virtual-networks: { "${GREEN}": {} }`);
    expect((await world.reconcile()).error?.code).toBe("object-hidden");
    expect(world.lab.world.store.get(uuid)).toBeDefined();
    show();
    expect(exitCode([await world.reconcile()])).toBe(0);
    expect(world.lab.world.store.get(uuid)).toBeUndefined();
  });

  it("is told from one that somebody deleted, which is made again", async () => {
    const { world } = await withRoles();
    await world.reconciled(BOTH);
    world.lab.world.delete("virtual-network", world.object("virtual-network", BLUE)?.uuid ?? "");
    expect((await world.plan()).plan?.changes.map(({ kind }) => kind)).toEqual(["missing"]);
    expect(exitCode([await world.reconcile()])).toBe(0);
    expect(world.object("virtual-network", BLUE)).toBeDefined();
  });
});

const CLOUD = "networks: { a: { subnets: { a-1: { cidr: 10.9.1.0/24 } } }, b: { subnets: { b-1: { cidr: 10.9.2.0/24 } } } }";

async function cloud() {
  const world = (await CloudWorld.start()).want(CLOUD);
  await world.reconciled();
  const ledger = () => readFileSync(join(world.folder, "ledger.json"), "utf8");
  const { network } = world.lab.world;
  const idOf = (kind: "network" | "subnet", name: string) => network.all(kind).find((each) => each.name === name)?.id ?? "";
  return { world, hidden: network.store.hidden, idOf, ledger };
}

describe("one object that a cloud hides", () => {
  it.each(["network", "subnet"] as const)("a %s that other objects give away is an error, and is made no second time", async (kind) => {
    const { world, hidden, idOf, ledger } = await cloud();
    hidden.add(idOf(kind, kind === "network" ? "a" : "a-1"));
    const [since, before] = [world.lab.journal.length, ledger()];
    for (const outcome of [await world.plan(), await world.drift(), await world.reconcile()]) {
      expect(outcome.error).toMatchObject({ code: "object-hidden", message: expect.stringContaining('"a') });
      expect(exitCode([outcome])).toBe(3);
    }
    expect(world.writesSince(since)).toEqual([]);
    expect(ledger()).toBe(before);
    expect((await world.plan({ allow: new Map([["object-hidden", ""]]) })).error).toBeUndefined();
    hidden.clear();
    expect(exitCode([await world.plan()])).toBe(0);
  });

  it("is told from what somebody deleted, which is made again", async () => {
    const { world, idOf } = await cloud();
    world.act("DELETE", `/v2.0/networks/${idOf("network", "a")}`);
    world.act("DELETE", `/v2.0/subnets/${idOf("subnet", "b-1")}`);
    expect((await world.plan()).error).toBeUndefined();
    await world.reconciled();
    expect(idOf("network", "a")).not.toBe("");
    expect(idOf("subnet", "b-1")).not.toBe("");
  });
});
