import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { runsAtWork } from "../../src/engine/active-runs.js";
import type { StepName } from "../../src/engine/apply/steps.js";
import { LeasePlace } from "../../src/engine/lease/lease-place.js";
import { UnchangedSince } from "../../src/engine/lease/unchanged-since.js";
import { BundleStore } from "../../src/engine/ledger/bundle-store.js";
import { fileDocument } from "../../src/engine/ledger/document.js";
import { NoticeBoard } from "../../src/engine/notices.js";
import { thisMachine } from "../../src/engine/pass/machine.js";
import { ManualClock } from "../../src/lab/panos/clock.js";
import { exitCode } from "../../src/outcome/outcome.js";
import { openOpenstackReader } from "../../src/targets/openstack/reader.js";
import { LabWorld } from "../engine/apply/lab-world.js";
import { Mortal } from "../engine/apply/mortal.js";
import { addresses, addressesOf, BARE } from "../engine/apply/scenes.js";
import { World } from "../engine/apply/world.js";
import { BAD, CLIENT, GOOD, OPEN, WATCH } from "../engine/watch/scene.js";
import { CloudWorld } from "../targets/openstack/cloud-world.js";
import { configuration, demoAccess } from "../targets/openstack/fixtures.js";

/**
 * A pause is for emergencies: once it is confirmed, no run starts to write
 * (docs/contributing/decisions.md#22-pause-notices-are-read-before-each-write).
 */

const WANTED = { a: "10.0.0.1" };
const HERS = { theirs: "192.0.2.9" };
const ledgerFile = (world: World): string => join(world.folder, "ledger.json");

const labs: LabWorld[] = [];
afterEach(async () => {
  for (const lab of labs.splice(0)) await lab.close();
});

const boardIn = (ledger: string) => new NoticeBoard(new BundleStore(fileDocument(ledger)), "secops");
const pauseIn = async (ledger: string) =>
  await boardIn(ledger).pause({ target: "edge", reason: "fire", by: "ann", since: 0, until: undefined });
/** Another owner pauses the target, on another machine. */
const pauseElsewhere = async (world: World) => await pauseIn(ledgerFile(world));

const ledgersOf = ({ folder }: CloudWorld) => new BundleStore(fileDocument(join(folder, "ledger.json")));

/** The answer of `plumbline pause` about a cloud, on a separate machine. */
async function runsOn(world: CloudWorld): Promise<string[]> {
  const machine = { ...thisMachine, host: "another" };
  const cloud = configuration(demoAccess(world.lab.authUrl));
  const { runs = ["unknown"] } = await runsAtWork(cloud, {
    connect: () => openOpenstackReader(cloud, world.injected),
    machine,
    leases: new LeasePlace(ledgersOf(world), "netops"),
    seen: new UnchangedSince(join(world.folder, "state-of-another"), machine),
  });
  return [...runs];
}

/** A lab firewall with traffic, whose next commit is watched; its clock goes on when a run waits. */
async function watched(): Promise<LabWorld> {
  const clock = new ManualClock();
  const world = await LabWorld.start(OPEN, { strict: true }, clock);
  labs.push(world);
  world.sleep = async (milliseconds) => clock.advance(milliseconds);
  world.want(GOOD.replace(WATCH, ""));
  const first = await world.reconcile();
  if (first.error !== undefined) throw first.error;
  world.lab.device.state.traffic.add([CLIENT]);
  return world;
}

/** Does something once, right after the first step of that name. */
function once(step: StepName, act: () => Promise<void> | void) {
  let done = false;
  return {
    before: () => undefined,
    after: async (name: StepName) => {
      if (done || name !== step) return;
      done = true;
      await act();
    },
  };
}

describe("a pause", () => {
  it.each(["lock", "re-read", "write", "validate"] as const)(
    "that is told after %s keeps a run of another owner from its commit",
    async (step) => {
      const world = new World(BARE).want(addresses(WANTED));
      const outcome = await world.reconcile({ observer: once(step, () => pauseElsewhere(world)) });
      expect(outcome.error).toMatchObject({ code: "paused", message: expect.stringContaining("ann") });
      expect(exitCode([outcome])).toBe(3);
      expect(addressesOf(world.device.running)).toEqual(HERS);
      expect(addressesOf(world.device.candidate)).toEqual(HERS);
      expect(world.device.locks).toEqual([]);
    },
  );

  it("stops a run from clearing leftovers of a killed one", async () => {
    const world = new World(BARE).want(addresses(WANTED));
    const [dying, counting] = [new World(BARE).want(addresses(WANTED)), new Mortal(undefined)];
    await dying.reconcile({ observer: counting.observer });
    const killed = new Mortal({ step: counting.steps.indexOf("write"), moment: "after" });
    await world.reconcile({ observer: killed.observer, wrap: killed.wrap });
    const left = world.device.pending.length;
    expect(left).toBeGreaterThan(0);
    const outcome = await world.reconcile({ observer: once("lock", () => pauseElsewhere(world)) });
    expect(outcome.error).toMatchObject({ code: "paused" });
    expect(world.device.pending).toHaveLength(left);
  });

  it("stops a run from rolling its watched commit back, which stays undecided", async () => {
    const world = await watched();
    const { state } = world.lab.device;
    world.want(BAD);
    const outcome = await world.reconcile({ write: { observer: once("watch", () => pauseIn(world.files.ledger)) } });
    expect(outcome.error).toMatchObject({ code: "commit-stands", message: expect.stringContaining("paused by ann") });
    const commits = state.commits.length;
    expect((await world.reconcile()).error).toMatchObject({ code: "commit-stands" });
    expect(state.commits).toHaveLength(commits);
    expect(await boardIn(world.files.ledger).resume("edge")).toBe(true);
    expect((await world.reconcile()).error).toMatchObject({ code: "commit-taken-back" });
  });

  it("that starts while a run works on a cloud stops its first write, and names it until it has released its lease", async () => {
    const world = (await CloudWorld.start()).want("networks: { a: {} }");
    const since = world.lab.journal.length;
    let seen: string[] | undefined;
    const told = once("lock", async () => {
      await new NoticeBoard(ledgersOf(world), "netops").pause({ target: "cloud", reason: "fire", by: "ann", since: 0, until: undefined });
      seen = await runsOn(world);
    });
    const outcome = await world.reconcile({}, { observer: told });
    expect(seen).toEqual([expect.stringMatching(/^\d{8}T\d{6}Z-\S+ of netops \(\S+@\S+\)$/)]);
    expect(outcome.error).toMatchObject({ code: "paused" });
    expect(world.writesSince(since)).toEqual([]);
    expect(await runsOn(world)).toEqual([]);
  });

  it("that is unreadable stops a run before its commit, and the writes are undone", async () => {
    const world = new World(BARE).want(addresses(WANTED));
    const outcome = await world.reconcile({ observer: once("validate", () => writeFileSync(ledgerFile(world), "{")) });
    expect(outcome.error).toMatchObject({ code: "notices-unreadable" });
    expect(exitCode([outcome])).toBe(3);
    expect(addressesOf(world.device.running)).toEqual(HERS);
    expect(addressesOf(world.device.candidate)).toEqual(HERS);
  });
});
