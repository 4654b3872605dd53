import { afterEach, describe, expect, it } from "vitest";
import { find } from "../../src/core/tree/lookup.js";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import type { WriteTarget } from "../../src/engine/write-target.js";
import { exitCode } from "../../src/outcome/outcome.js";
import { LabWorld } from "../engine/apply/lab-world.js";
import { replacing } from "../engine/apply/replacing.js";
import { ADDRESS, addresses, addressesOf, BARE, VSYS } from "../engine/apply/scenes.js";
import { CloudWorld } from "../targets/openstack/cloud-world.js";

/**
 * Doubt applies to objects that were not seen (docs/contributing/plan.md#an-empty-answer): deleted or empty ones are recreated, hidden ones
 * are not.
 */

const worlds: LabWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

const DEVICE = "/config/devices/entry[@name='localhost.localdomain']";
const RULES = `${VSYS}/rulebase/security/rules`;
const NEW = `<config><devices><entry name='localhost.localdomain'><deviceconfig><system><hostname>fw</hostname></system></deviceconfig>
  <vsys><entry name='vsys1'><rulebase><security><rules/></security></rulebase></entry><entry name='vsys2'/></vsys></entry></devices><shared/></config>`;
const RULE = "{ from: [any], to: [any], source: [any], destination: [any], application: [any], service: [any], action: allow }";

function scoped(scope: string, config: string): string {
  return `target: edge\nscope: ${scope}\nconfig:\n${config.replace(/^/gm, "  ").trimEnd()}\n`;
}

async function firewall(running = BARE): Promise<LabWorld> {
  const world = await LabWorld.start(running, { strict: true });
  worlds.push(world);
  return world;
}

async function reconciled(text: string, running = BARE): Promise<LabWorld> {
  const world = await firewall(running);
  world.want(text);
  const { error } = await world.reconcile();
  if (error !== undefined) throw error;
  return world;
}

function byHand({ lab: { device } }: LabWorld, ...deleted: string[]): void {
  for (const xpath of deleted) expect(device.act("alice", { type: "config", action: "delete", xpath }).status).toBe("success");
  expect(device.act("alice", { type: "commit", cmd: "<commit/>" }).status).toBe("success");
}

async function expectHealed(world: LabWorld): Promise<void> {
  const outcome = await world.reconcile();
  expect(outcome.error).toBeUndefined();
  expect(outcome.applied).toMatchObject({ proven: true });
  expect(outcome.applied?.operations).toBeGreaterThan(0);
  expect(exitCode([await world.plan()])).toBe(0);
  expect(exitCode([await world.drift()])).toBe(0);
}

describe("an existing empty node", () => {
  it("can be a rulebase that is filled", async () => {
    const world = await firewall(NEW);
    world.want(scoped("vsys1", `rulebase: { security: { rules: { $position: bottom, $entries: [{ name: allow, ${RULE.slice(2)}] } } }`));
    await expectHealed(world);
    expect(find(world.lab.device.state.running, parsePath(RULES))?.children.map(({ name }) => name)).toEqual(["allow"]);
  });

  it("can be a virtual system that is filled", async () => {
    const world = await firewall(NEW);
    world.want(scoped("vsys2", "address: { a: { ip-netmask: 10.0.0.1 } }"));
    await expectHealed(world);
    expect(addressesOf(world.lab.device.state.running, `${DEVICE}/vsys/entry[@name='vsys2']/address`)).toEqual({ a: "10.0.0.1" });
  });
});

describe("a manually deleted object", () => {
  const TAGS = `${VSYS}/tag`;
  const C = `${ADDRESS}/entry[@name='c']`;

  it("is created again with the list that it left empty", async () => {
    const world = await reconciled(scoped("vsys1", "tag: { t: {} }\naddress: { a: { ip-netmask: 10.0.0.1 } }"));
    byHand(world, `${TAGS}/entry[@name='t']`);
    expect((await world.drift()).drift?.items.map(({ attribution }) => attribution?.admin)).toEqual(["alice"]);
    await expectHealed(world);
  });

  it.each(["entry[@name='x']", "", "/.."])("is created again with the parents that it left empty (%s)", async (end) => {
    const rulebase = `rulebase: { nat: { rules: { $position: bottom, $entries: [{ name: x, from: [any], to: [any], source: [any], destination: [any], service: any }] } } }`;
    const world = await reconciled(scoped("vsys1", `${rulebase}\naddress: { a: { ip-netmask: 10.0.0.1 } }`));
    const nat = `${VSYS}/rulebase/nat`;
    byHand(world, end === "/.." ? nat : end === "" ? `${nat}/rules` : `${nat}/rules/${end}`);
    await expectHealed(world);
  });

  it("is created again if it was the only owned one there", async () => {
    const world = await reconciled(addresses({ a: "10.0.0.1" }));
    byHand(world, `${ADDRESS}/entry[@name='a']`);
    await expectHealed(world);
  });

  /** A run that deletes `a` and `b`, and leaves `c`; `happen` comes when its commit is over, before anything is read back. */
  async function twoLeave(happen: (world: LabWorld) => void) {
    const world = await reconciled(addresses({ a: "10.0.0.1", b: "10.0.0.2", c: "10.0.0.3" }), NEW);
    world.want(addresses({ c: "10.0.0.3" }));
    let commits = Number.POSITIVE_INFINITY;
    const before = (step: string) => {
      if (step === "commit") commits = world.lab.device.state.commits.length;
    };
    const read = async (target: WriteTarget, ...asked: Parameters<WriteTarget["read"]>) => {
      world.lab.device.state.jobs.advance();
      if (world.lab.device.state.commits.length > commits) {
        commits = Number.POSITIVE_INFINITY;
        happen(world);
      }
      return await target.read(...asked);
    };
    const wrap = (target: WriteTarget) => replacing(target, { read: (...asked) => read(target, ...asked) });
    return { world, outcome: await world.reconcile({ wrap, write: { observer: { before, after: () => undefined } } }) };
  }

  it.each(["begun", "committed"])("is created again if a run has just deleted all others (%s)", async (how) => {
    const { world, outcome } = await twoLeave((lab) => {
      if (how === "committed") return byHand(lab, C);
      lab.lab.device.act("alice", { type: "config", action: "delete", xpath: C });
    });
    expect(outcome.error?.message).not.toContain("empty-live");
    expect(exitCode([outcome])).not.toBe(0);
    if (how === "begun") expect(world.lab.device.act("alice", { type: "commit", cmd: "<commit/>" }).status).toBe("success");
    await expectHealed(world);
  });

  it("is created again after a killed run that had deleted all others", async () => {
    const { world } = await twoLeave(() => {
      throw new Error("the run ends");
    });
    byHand(world, C);
    await expectHealed(world);
  });

  it("is created again if it was the only owned server", async () => {
    const world = (await CloudWorld.start()).want(
      "servers: { s: { image: cirros, flavor: m1.tiny, networks: [{ network: private }], saveTo: s.password } }",
    );
    await world.reconciled();
    const [server] = world.lab.world.compute.servers(world.lab.world.as("demo").projectId);
    world.act("DELETE", `/v2.1/servers/${server?.id}`);
    world.clock.advance(60_000);
    expect(world.lab.world.compute.servers(world.lab.world.as("demo").projectId)).toEqual([]);
    const outcome = await world.reconciled();
    expect(outcome.applied?.operations).toBe(1);
  });
});

describe("an unread subtree", () => {
  const TWO = NEW.replace("<entry name='vsys2'/>", "<entry name='vsys2'><tag><entry name='theirs'/></tag></entry>");
  const ONE = scoped("vsys1", "address: { a: { ip-netmask: 10.0.0.1 }, b: { ip-netmask: 10.0.0.2 } }");
  const V2 = `${DEVICE}/vsys/entry[@name='vsys2']`;

  async function twoSystems(): Promise<LabWorld> {
    const world = await firewall(TWO);
    world.want(ONE);
    world.want(scoped("vsys2", "address: { c: { ip-netmask: 10.0.0.3 }, d: { ip-netmask: 10.0.0.4 } }"), "second.yaml");
    expect((await world.reconcile()).error).toBeUndefined();
    return world;
  }

  /** Plans, heals and plans again. Omitted objects stay omitted, and no write is repeated. */
  async function expectRestHealed(world: LabWorld, guard: string, path: string): Promise<void> {
    const { device } = world.lab;
    const since = device.state.journal.length;
    const planned = await world.plan();
    expect(exitCode([planned])).toBe(3);
    expect(planned.plan?.refusals).toMatchObject([{ guard, stops: "subtree" }]);
    expect(planned.plan?.leftOut.map(String)).toEqual([path]);
    const healed = await world.reconcile();
    expect(healed.error).toMatchObject({ code: "plan-refused", severity: "refused", where: { xpath: path } });
    expect(healed.applied).toMatchObject({ operations: 1, commit: "committed", proven: true });
    expect(exitCode([healed])).toBe(3);
    expect(addressesOf(device.state.running)).toEqual({ b: "10.0.0.2", a: "10.0.0.1" });
    const again = await world.reconcile();
    expect([exitCode([again]), again.applied?.operations]).toEqual([3, 0]);
    expect(exitCode([await world.drift()])).not.toBe(0);
    const written = device.state.journal.slice(since).filter(({ action }) => action === "multi-config");
    expect(written.filter(({ admin }) => admin === "netops")).toHaveLength(1);
  }

  it("that a permission hides stops itself and stays owned, and drift of the rest is healed", async () => {
    const world = await twoSystems();
    const { device } = world.lab;
    byHand(world, `${ADDRESS}/entry[@name='a']`);
    device.state.administrators.add({ name: "netops", password: "secret", role: { kind: "custom", hidden: [`${V2}/address`] } });
    await expectRestHealed(world, "empty-read-not-believed", `${V2}/address`);
    device.state.administrators.add({ name: "netops", password: "secret", role: { kind: "superuser" } });
    world.want("target: edge\nscope: vsys2\nconfig: {}\n", "second.yaml");
    expect((await world.reconcile()).error).toBeUndefined();
    expect(addressesOf(device.state.running, `${V2}/address`)).toEqual({});
  });

  it("with everything in a virtual system is created again after confirmation", async () => {
    const world = await twoSystems();
    byHand(world, `${ADDRESS}/entry[@name='a']`, `${V2}/address`);
    await expectRestHealed(world, "empty-live", V2);
    const allowed = await world.reconcile({ pass: { allowEmptyLive: [parsePath(V2)] } });
    expect(allowed.error).toBeUndefined();
    expect(addressesOf(world.lab.device.state.running, `${V2}/address`)).toEqual({ c: "10.0.0.3", d: "10.0.0.4" });
  });
});
