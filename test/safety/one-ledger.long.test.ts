import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { gitIn } from "../../src/engine/checkout/git.js";
import { decodeRecord } from "../../src/engine/ledger/codec.js";
import { GitStore } from "../../src/engine/ledger/git-store.js";
import type { LedgerStore } from "../../src/engine/ledger/store.js";
import { thisMachine } from "../../src/engine/pass/machine.js";
import type { PassOptions } from "../../src/engine/pass/options.js";
import { planTargets, reconcileTargets } from "../../src/engine/reconcile.js";
import { exitCode, type TargetOutcome } from "../../src/outcome/outcome.js";
import { panosKind } from "../../src/targets/panos/kind.js";
import { AgentWorld, CONNECTIONS } from "../agent/world.js";
import { type PassFields, passOptions } from "../pass-options.js";

const EDGE = { owner: "netops", target: "edge" };
const ADDRESS = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']/address";
const at = (name: string): string => `${ADDRESS}/entry[@name='${name}']`;

const worlds: AgentWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

async function start(): Promise<AgentWorld> {
  const world = await AgentWorld.start();
  worlds.push(world);
  return world;
}

function options(world: AgentWorld, more: PassFields): PassOptions {
  return passOptions({
    configurationFile: join(world.work, "plumbline.yaml"),
    stateFolder: join(world.folder, "state-by-hand"),
    kinds: new Map([["panos", panosKind]]),
    environment: world.environment,
    machine: { ...thisMachine, now: () => world.clock.now() },
    targets: [],
    ...more,
  });
}

/** `plumbline reconcile` by hand, on another machine, in the same repository. */
async function byHand(world: AgentWorld, more: PassFields = {}): Promise<TargetOutcome> {
  const [outcome] = await reconcileTargets(
    options(world, more),
    { takeover: false, lockTimeout: 0, sleep: async () => undefined },
    CONNECTIONS,
  );
  if (outcome === undefined) throw new Error("no outcome");
  return outcome;
}

const inGit = (world: AgentWorld): LedgerStore => new GitStore(gitIn(world.work), "origin");

async function recordIn(store: LedgerStore) {
  const found = await store.read(EDGE);
  return found === undefined ? undefined : decodeRecord(found.text);
}

/** A runner of a version before leaves a ledger, as it wrote it, in a place of its own. */
async function oldRunnerLeaves(store: LedgerStore, commit: string, ...names: string[]): Promise<void> {
  const record = { format: 1, ...EDGE, commit, paths: names.map(at), adopted: [], secrets: {} };
  await store.write(EDGE, JSON.stringify(record), (await store.read(EDGE))?.version);
}

/** The content of the agent's store, read while no other process uses it. */
async function withAgentStore<T>(world: AgentWorld, work: (store: LedgerStore) => Promise<T>): Promise<T> {
  await world.openAgent();
  try {
    if (world.store === undefined) throw new Error("no store");
    return await work(world.store.ledgers);
  } finally {
    await world.end();
  }
}

describe("an agent and a manual run share one ledger", () => {
  it("an object that the agent deleted and another administrator created again is not deleted by the manual run", async () => {
    const world = await start();
    world.want("edge", { a: "10.0.0.1", a6: "10.0.0.6" });
    world.push("with a6");
    expect((await byHand(world)).error).toBeUndefined();
    world.want("edge", { a: "10.0.0.1" });
    world.push("without a6");
    await world.once();
    expect(world.addressesOf()).toEqual({ a: "10.0.0.1", theirs: "192.0.2.9" });
    world.meddle("a6", "10.66.66.66");
    const outcome = await byHand(world);
    expect(outcome.error).toBeUndefined();
    expect(outcome.plan?.refusals).toEqual([]);
    expect(world.addressesOf()).toMatchObject({ a6: "10.66.66.66" });
  });

  it("objects of an earlier commit are deleted when they leave the files, although the agent's state folder is lost", async () => {
    const world = await start();
    world.want("edge", { a: "10.0.0.1", b: "10.0.0.2" });
    world.push("with b");
    await world.once();
    expect(world.addressesOf()).toMatchObject({ b: "10.0.0.2" });
    rmSync(world.stateFolder, { recursive: true, force: true });
    world.want("edge", { a: "10.0.0.1" });
    world.push("without b");
    await world.once();
    expect(world.addressesOf()).toEqual({ a: "10.0.0.1", theirs: "192.0.2.9" });
  });

  it("a run that cannot reach it deletes nothing, reports it and writes nothing", async () => {
    const world = await start();
    world.want("edge", { a: "10.0.0.1", b: "10.0.0.2" });
    world.push("with b");
    await byHand(world);
    world.want("edge", { a: "10.0.0.9" });
    world.commit("without b");
    world.git("remote", "set-url", "origin", join(world.folder, "gone.git"));
    const [planned] = await planTargets(options(world, {}), CONNECTIONS);
    expect(planned?.plan).toMatchObject({ deletionsUnknown: true, refusals: [] });
    expect(planned?.plan?.changes.map(({ kind }) => kind)).toEqual(["differs"]);
    expect(exitCode(planned === undefined ? [] : [planned])).toBe(2);
    expect((await byHand(world)).error?.severity).toBe("refused");
    expect(world.addressesOf()).toMatchObject({ a: "10.0.0.1", b: "10.0.0.2" });
  });

  it("it is in the agents' store if several share it, also for a manual run, and an unreachable store deletes nothing", async () => {
    const world = await start();
    world.want("edge", { a: "10.0.0.1", b: "10.0.0.2" });
    world.push("with b");
    await withAgentStore(world, async (store) => {
      const storeLedgers = { isShared: async () => true, open: async () => store };
      expect((await byHand(world, { storeLedgers })).error).toBeUndefined();
      expect((await recordIn(store))?.paths).toEqual([at("a"), at("b")]);
      expect(await recordIn(inGit(world))).toBeUndefined();
      const away: LedgerStore = {
        describe: () => "the store",
        read: () => Promise.reject(new Error("connection refused")),
        readAll: () => Promise.reject(new Error("connection refused")),
        write: () => Promise.reject(new Error("connection refused")),
        owners: () => Promise.reject(new Error("connection refused")),
        targets: () => Promise.reject(new Error("connection refused")),
      };
      world.want("edge", { a: "10.0.0.1" });
      world.push("without b");
      const [planned] = await planTargets(options(world, { storeLedgers: { ...storeLedgers, open: async () => away } }), CONNECTIONS);
      expect(planned?.plan).toMatchObject({ deletionsUnknown: true, operations: [] });
      expect((await byHand(world, { storeLedgers })).error).toBeUndefined();
      expect(world.addressesOf()).not.toHaveProperty("b");
    });
  });
});

describe("separate ledgers of earlier versions", () => {
  it("are both read: rows of only one are kept, and not deleted until they are adopted", async () => {
    const world = await start();
    world.want("edge", { a: "10.0.0.1", b: "10.0.0.2", c: "10.0.0.3" });
    const commit = world.push("all three");
    for (const [name, ip] of Object.entries({ b: "10.0.0.2", c: "10.0.0.3" })) world.meddle(name, ip);
    await oldRunnerLeaves(inGit(world), commit, "a", "b");
    await withAgentStore(world, (store) => oldRunnerLeaves(store, commit, "a", "c"));
    world.want("edge", { d: "10.0.0.4" });
    world.push("none of them");
    await world.once();
    const record = await recordIn(inGit(world));
    expect([at("b"), at("c")].map((path) => record?.rows?.[path]?.came)).toEqual(["unclear", "unclear"]);
    expect(world.addressesOf()).toMatchObject({ b: "10.0.0.2", c: "10.0.0.3" });
  });

  it("are read again after a runner of an earlier version wrote", async () => {
    const world = await start();
    await world.once();
    await withAgentStore(world, async (store) => oldRunnerLeaves(store, world.git("rev-parse", "HEAD"), "a", "theirs"));
    world.want("edge", { a: "10.0.0.1", b: "10.0.0.2" });
    world.push("with b");
    await world.once();
    const record = await recordIn(inGit(world));
    expect(record?.rows?.[at("theirs")]).toMatchObject({ came: "unclear" });
    expect(record?.merged).toMatchObject({ store: expect.any(String) });
    world.want("edge", { a: "10.0.0.1" });
    world.push("without b");
    await world.once();
    expect(world.addressesOf()).toEqual({ a: "10.0.0.1", theirs: "192.0.2.9" });
  });

  it("are used unchanged if only the agent had one", async () => {
    const world = await start();
    world.want("edge", { a: "10.0.0.1" });
    const commit = world.push("a");
    world.meddle("old", "10.0.0.8");
    await withAgentStore(world, (store) => oldRunnerLeaves(store, commit, "a"));
    await world.once();
    const record = await recordIn(inGit(world));
    expect(record?.rows?.[at("a")]?.came).toBeUndefined();
    expect(world.addressesOf()).toMatchObject({ old: "10.0.0.8" });
  });
});
