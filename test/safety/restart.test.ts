import { afterEach, describe, expect, it } from "vitest";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import type { WriteTarget } from "../../src/engine/write-target.js";
import { exitCode } from "../../src/outcome/outcome.js";
import { ALL, replyLost } from "../engine/apply/device-target.js";
import { LabWorld } from "../engine/apply/lab-world.js";
import { ADDRESS, addresses, addressesOf, BARE, setAddress } from "../engine/apply/scenes.js";
import { World } from "../engine/apply/world.js";

/** A commit between the last check and the read-back cannot be attributed later. */

const HERS = { theirs: "192.0.2.9" };
const labs: LabWorld[] = [];
afterEach(async () => {
  for (const lab of labs.splice(0)) await lab.close();
});

/** The device restarts right before the commit comes, so many times: candidate and locks are gone. */
function restarting(world: World, times: number) {
  let left = times;
  return {
    before: (call: string) => {
      if (call !== "commit" || left-- <= 0) return;
      world.device.pending = [];
      world.device.locks.splice(0);
    },
  };
}

describe("a firewall that restarts between the last check and the commit", () => {
  it.each([1, 2])("%d times is written again by the same run", async (times) => {
    const world = new World(BARE).want(addresses({ a: "10.0.0.1" }));
    const outcome = await world.reconcile({ wire: restarting(world, times) });
    expect(outcome.error).toBeUndefined();
    expect(outcome.applied).toMatchObject({ commit: "committed", proven: true });
    expect(addressesOf(world.device.running)).toEqual({ ...HERS, a: "10.0.0.1" });
    expect(world.device.locks).toEqual([]);
    expect(world.device.jobs).toHaveLength(1);
  });

  it("repeatedly ends the run, and the next one writes the same", async () => {
    const world = new World(BARE).want(addresses({ a: "10.0.0.1" }));
    const outcome = await world.reconcile({ wire: restarting(world, 9) });
    expect(outcome.error).toMatchObject({ code: "candidate-lost" });
    expect(exitCode([outcome])).toBe(1);
    expect((await world.reconcile()).error).toBeUndefined();
    expect(addressesOf(world.device.running)).toEqual({ ...HERS, a: "10.0.0.1" });
  });
});

describe("a difference after the commit that the commit did not cause", () => {
  it("came from another run that took a lost lock: the device is not blamed", async () => {
    const world = new World(BARE).want(addresses({ a: "10.0.0.1" }));
    await world.reconcile();
    const other = addresses({ a: "10.0.0.7" });
    world.want(addresses({ a: "10.0.0.2" }));
    let done = false;
    const after = async (step: string) => {
      if (done || step !== "commit") return;
      done = true;
      world.want(other);
      expect((await world.reconcile({ machine: { pid: 4242, isAlive: () => true } })).error).toBeUndefined();
    };
    const outcome = await world.reconcile({ observer: { before: () => undefined, after } });
    expect(outcome.error).toMatchObject({ code: "late-write" });
  });

  it("came from a late request of an earlier run: the device is not blamed, and the next run heals", async () => {
    const world = new World(BARE).want(addresses({ a: "10.0.0.1", b: "10.0.0.2" }));
    await world.reconcile();
    world.want(addresses({ a: "10.0.0.9", b: "10.0.0.2" }));
    const before = (call: string) => {
      if (call === "commit") world.device.write("netops", [{ action: "delete", at: parsePath(`${ADDRESS}/entry[@name='b']`) }]);
    };
    expect((await world.reconcile({ wire: { before } })).error).toMatchObject({ code: "late-write" });
    expect((await world.reconcile()).error).toBeUndefined();
    expect(addressesOf(world.device.running)).toEqual({ ...HERS, a: "10.0.0.9", b: "10.0.0.2" });
  });

  it("does not change the ownership of an object created in place of a deleted one that was only found", async () => {
    const world = new World(BARE).want(addresses({ theirs: "192.0.2.9", a: "10.0.0.1" }));
    await world.reconcile();
    world.device.write("alice", [{ action: "delete", at: parsePath(`${ADDRESS}/entry[@name='theirs']`) }]);
    world.device.commit("alice", "", true);
    const before = (call: string) => {
      if (call === "commit") world.device.write("netops", [setAddress(ADDRESS, "a", "10.0.0.9")]);
    };
    expect((await world.reconcile({ wire: { before } })).error).toMatchObject({ code: "late-write" });
    world.want(addresses({ a: "10.0.0.1" }));
    expect((await world.reconcile()).error).toBeUndefined();
    expect(addressesOf(world.device.running)).toEqual({ a: "10.0.0.1" });
  });

  it("belongs to another administrator, whose change list entry is unchanged", async () => {
    const world = new World(BARE).want(addresses({ a: "10.0.0.1" }));
    await world.reconcile();
    world.want(addresses({ a: "10.0.0.9" }));
    world.device.write("alice", [setAddress(ADDRESS, "a", "10.0.0.1")]);
    const after = (call: string) => {
      if (call === "commit") world.device.write("alice", [setAddress(ADDRESS, "a", "10.7.7.7")]);
    };
    const outcome = await world.reconcile({ wire: { after } });
    expect(outcome.error).toMatchObject({ code: "changed-since-commit", message: expect.stringMatching(/^"alice" changed /) });
  });
});

describe("a lock that is broken while the run waits for a lost reply", () => {
  it("stops further writes, because a status query reports no running work", async () => {
    const world = new World(BARE).want(addresses({ a: "10.0.0.1" }));
    const before = (call: string) => {
      if (call !== "write") return;
      world.device.locks.splice(0);
      throw replyLost();
    };
    const outcome = await world.reconcile({ wire: { before } });
    expect(outcome.error).toMatchObject({ code: "lock-lost" });
    expect(world.device.events.filter(({ kind }) => kind === "write")).toEqual([]);
  });
});

describe("a firewall that restarts between the last check and the commit of a killed run's changes", () => {
  it("is written again by the same run, and is not blamed", async () => {
    const world = new World(BARE).want(addresses({ a: "10.0.0.1" }));
    world.capabilities = { ...ALL, partialRevert: false };
    world.device.write("netops", [setAddress(ADDRESS, "a", "10.0.0.1")]);
    const outcome = await world.reconcile({ wire: restarting(world, 1), write: { takeover: true } });
    expect(outcome.error).toBeUndefined();
    expect(addressesOf(world.device.running)).toEqual({ ...HERS, a: "10.0.0.1" });
    expect((await world.reconcile()).error).toBeUndefined();
  });
});

describe("an administrator who commits an owned node between commit and read-back", () => {
  it("is named, and the device is not blamed: the next run heals", async () => {
    const world = await LabWorld.start(BARE, { strict: true });
    labs.push(world);
    world.want(addresses({ a: "10.0.0.1" }));
    const alice = (params: Readonly<Record<string, string>>) => world.lab.device.act("alice", params);
    let done = false;
    const meddle = (step: string) => {
      if (done || step !== "commit") return;
      done = true;
      alice({ type: "config", action: "set", xpath: `${ADDRESS}/entry[@name='a']`, element: "<ip-netmask>10.9.9.9</ip-netmask>" });
      alice({ type: "commit", cmd: "<commit><description>by hand</description></commit>" });
    };
    const outcome = await world.reconcile({ write: { observer: { before: () => undefined, after: meddle } } });
    expect(outcome.error).toMatchObject({
      code: "changed-since-commit",
      message: expect.stringMatching(/^"alice" changed .*entry\[@name='a'\]/),
    });
    expect((await world.drift()).drift?.items).toMatchObject([{ attribution: { admin: "alice" } }]);
    expect((await world.reconcile()).error).toBeUndefined();
    expect(addressesOf(world.lab.device.state.running)).toMatchObject({ a: "10.0.0.1" });
  });

  it("or only started to change it, is named if the device reports only commits", async () => {
    const world = new World(BARE).want(addresses({ a: "10.0.0.1" }));
    const after = (call: string) => {
      if (call === "commit") world.device.write("alice", [setAddress(ADDRESS, "a", "10.9.9.9")]);
    };
    const outcome = await world.reconcile({ wire: { after } });
    expect(outcome.error).toMatchObject({ code: "changed-since-commit", message: expect.stringMatching(/^"alice" changed /) });
    world.device.revert("alice");
    expect((await world.reconcile()).error).toBeUndefined();
    expect(addressesOf(world.device.running)).toMatchObject({ a: "10.0.0.1" });
  });
});

describe("an administrator who commits an owned node after the commit, on a device that logs only the last change", () => {
  const hand = (world: World, value: string) => {
    world.device.write("alice", [setAddress(ADDRESS, "a", value)]);
    world.device.commit("alice", "by hand", true);
  };
  /** Her newest commit: in the log, the entry of Plumbline is below the list, which says nothing about its entries. */
  const wrap = (world: World) => (target: WriteTarget) => {
    target.attribution = async () => {
      const at = world.device.events.findLastIndex(({ kind, admin }) => kind === "commit" && admin === "alice");
      return at < 0 ? undefined : { admin: "alice", time: `${at}` };
    };
    return target;
  };
  const once = (call: string, work: () => void) => {
    let isDone = false;
    return (each: string) => {
      if (each !== call || isDone) return;
      isDone = true;
      work();
    };
  };

  it("is named if it had the recorded content", async () => {
    const world = new World(BARE).want(addresses({ a: "10.0.0.1" }));
    await world.reconcile({ wrap: wrap(world) });
    world.want(addresses({ a: "10.0.0.2" }));
    const outcome = await world.reconcile({ wrap: wrap(world), wire: { after: once("commit", () => hand(world, "10.9.9.9")) } });
    expect(outcome.error).toMatchObject({ code: "changed-since-commit", message: expect.stringMatching(/^"alice" changed /) });
    expect((await world.reconcile({ wrap: wrap(world) })).error).toBeUndefined();
    expect(addressesOf(world.device.running)).toMatchObject({ a: "10.0.0.2" });
  });

  it("makes a change that is not pruned as owned when it leaves the files", async () => {
    const world = new World(BARE).want(addresses({ a: "10.0.0.1", b: "10.0.0.1" }));
    const after = once("commit", () => hand(world, "10.9.9.9"));
    expect((await world.reconcile({ wrap: wrap(world), wire: { after } })).error).toMatchObject({ code: "changed-since-commit" });
    world.want(addresses({ b: "10.0.0.1" }));
    const outcome = await world.reconcile();
    expect(outcome.plan?.refusals).toMatchObject([{ guard: "not-as-left" }]);
    expect(addressesOf(world.device.running)).toMatchObject({ a: "10.9.9.9" });
  });

  it("is named if the run had overwritten their change", async () => {
    const world = new World(BARE).want(addresses({ a: "10.0.0.1" }));
    await world.reconcile({ wrap: wrap(world) });
    hand(world, "10.8.8.8");
    const outcome = await world.reconcile({ wrap: wrap(world), wire: { after: once("commit", () => hand(world, "10.9.9.9")) } });
    expect(outcome.error).toMatchObject({ code: "changed-since-commit" });
  });

  it("is named if the node was never owned before", async () => {
    const world = new World(BARE).want(addresses({ b: "10.0.0.1" }));
    await world.reconcile({ wrap: wrap(world) });
    hand(world, "10.8.8.8");
    world.want(addresses({ a: "10.0.0.1", b: "10.0.0.1" }));
    const outcome = await world.reconcile({ wrap: wrap(world), wire: { after: once("commit", () => hand(world, "10.9.9.9")) } });
    expect(outcome.error).toMatchObject({ code: "changed-since-commit" });
  });

  it("is not named for an earlier change, if the device stores another value than was sent", async () => {
    const world = new World(BARE).want(addresses({ a: "10.0.0.1" }));
    await world.reconcile({ wrap: wrap(world) });
    hand(world, "10.8.8.8");
    world.device.normalise = () => setAddress(ADDRESS, "a", "10.7.7.7");
    const outcome = await world.reconcile({ wrap: wrap(world) });
    expect(outcome.error).toMatchObject({ code: "not-converging" });
  });
});
