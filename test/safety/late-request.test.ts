import { describe, expect, it } from "vitest";
import type { Operation } from "../../src/core/operation.js";
import { TreeNode } from "../../src/core/tree/node.js";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import { formatMark } from "../../src/engine/apply/lock-mark.js";
import { exitCode } from "../../src/outcome/outcome.js";
import { replyLost } from "../engine/apply/device-target.js";
import { ADDRESS, addresses, addressesOf, BARE, setAddress } from "../engine/apply/scenes.js";
import { World } from "../engine/apply/world.js";

/** A request whose reply was lost is carried out after the commit. */

const late: Operation[] = [setAddress(ADDRESS, "a", "10.0.0.1")];

/** The first write is delayed and arrives right after the commit, whatever else happens then. */
function delayed(world: World, more: readonly Operation[] = []) {
  let lost = false;
  return {
    before: (call: string) => {
      if (call !== "write" || lost) return;
      lost = true;
      throw replyLost();
    },
    after: (call: string) => {
      if (call === "commit") world.device.write("netops", [...late, ...more]);
    },
  };
}

describe("a write that arrives after the commit", () => {
  it("leaves no own edit behind an exit 0", async () => {
    const world = new World(BARE).want(addresses({ a: "10.0.0.1" }));
    const outcome = await world.reconcile({ wire: delayed(world) });
    expect(outcome.error).toBeUndefined();
    expect(world.device.pending).toEqual([]);
    expect(addressesOf(world.device.running)).toMatchObject({ a: "10.0.0.1" });
    expect((await world.reconcile()).error).toBeUndefined();
  });

  it("of an earlier run, whose lock a restart removed, leaves none either", async () => {
    const world = new World(BARE).want(addresses({ a: "10.0.0.1" }));
    const after = (call: string) => {
      if (call === "commit") world.device.write("netops", late);
    };
    const outcome = await world.reconcile({ wire: { after } });
    expect(outcome.error).toBeUndefined();
    expect(world.device.pending).toEqual([]);
    expect((await world.reconcile()).error).toBeUndefined();
  });

  it("does not discard a person's work under the same account, and is reported", async () => {
    const world = new World(BARE).want(addresses({ a: "10.0.0.1" }));
    const outcome = await world.reconcile({ wire: delayed(world, [setAddress("/config/shared/address", "manual", "10.3.3.3")]) });
    expect(outcome.error).toBeUndefined();
    expect(outcome.warnings).toContainEqual(expect.stringContaining("a person may use this account"));
    expect(world.device.pending).toHaveLength(2);
    world.want(addresses({ a: "10.0.0.2" }));
    const next = await world.reconcile({ pass: { stateFolder: `${world.folder}/elsewhere` } });
    expect(next.error).toMatchObject({
      code: "own-pending",
      message: expect.stringContaining("or a late request of an earlier run"),
    });
  });

  it("is not blamed on the device if another administrator started the planned change without a commit", async () => {
    const world = new World(BARE).want(addresses({ gone: "10.0.0.9" }));
    await world.reconcile();
    world.want(addresses({ a: "10.0.0.1" }));
    world.device.write("alice", [{ action: "delete", at: parsePath(`${ADDRESS}/entry[@name='gone']`) }]);
    const outcome = await world.reconcile({ wire: delayed(world) });
    expect(outcome.error).toMatchObject({ code: "foreign-change", message: expect.stringContaining("alice has it pending") });
    expect(world.device.pending).toMatchObject([{ admin: "alice" }]);
    world.device.revert("alice");
    expect((await world.reconcile()).error).toBeUndefined();
    expect(addressesOf(world.device.running)).toEqual({ theirs: "192.0.2.9", a: "10.0.0.1" });
  });

  it("is not reverted if another run holds the lock by now, because it may be that run's write", async () => {
    const world = new World(BARE).want(addresses({ a: "10.0.0.1" }));
    const after = (call: string) => {
      if (call !== "commit") return;
      const comment = formatMark("netops-edge", { started: 0, host: "b2", pid: 9, random: "abcd1234" }, "digest");
      world.device.locks.push({ kind: "config", scope: "vsys1", owner: "netops", comment, created: undefined });
      world.device.write("netops", late);
    };
    const outcome = await world.reconcile({ wire: { after } });
    expect(outcome.warnings).toContainEqual(expect.stringContaining("Another run (19700101T000000Z-b2-9-abcd1234) is active"));
    expect(world.device.pending).toHaveLength(1);
    expect(world.device.locks).toHaveLength(1);
  });

  it("is reported if the device cannot revert", async () => {
    const world = new World(BARE).want(addresses({ a: "10.0.0.1" }));
    world.capabilities = { ...world.capabilities, partialRevert: false };
    const outcome = await world.reconcile({ wire: delayed(world) });
    expect(outcome.error).toBeUndefined();
    expect(outcome.warnings).toContainEqual(expect.stringContaining("was executed after the commit"));
  });
});

describe("a write that arrives after its run has ended", () => {
  const cases = [true, false].flatMap((partialRevert) => [true, false].map((isHere) => [partialRevert, isHere] as const));

  it.each(cases)("does not stay behind an exit 0 (revert: %s, on the same machine: %s)", async (partialRevert, isHere) => {
    const world = new World(BARE).want(addresses({ a: "10.0.0.1", gone: "10.0.0.9" }));
    world.capabilities = { ...world.capabilities, partialRevert };
    await world.reconcile();
    world.want(addresses({ a: "10.0.0.1" }));
    expect((await world.reconcile()).error).toBeUndefined();
    // From the first run: the current documents do not mention it.
    world.device.write("netops", [setAddress(ADDRESS, "gone", "10.0.0.9")]);
    const pass = isHere ? {} : { stateFolder: `${world.folder}/elsewhere` };
    const next = await world.reconcile({ pass });
    expect(exitCode([next])).toBe(3);
    expect(next.error).toMatchObject({
      code: "own-pending",
      message: expect.stringContaining("a late request of an earlier run"),
    });
    expect(addressesOf(world.device.running)).not.toHaveProperty("gone");
    expect((await world.reconcile({ pass, write: { takeover: true } })).error).toBeUndefined();
    expect(addressesOf(world.device.running)).not.toHaveProperty("gone");
    expect(world.device.locks).toEqual([]);
    if (partialRevert) expect(world.device.pending).toEqual([]);
  });

  it("is ignored if it changes nothing", async () => {
    const world = new World(BARE).want(addresses({ a: "10.0.0.1" }));
    await world.reconcile();
    world.device.write("netops", late);
    expect(exitCode([await world.reconcile()])).toBe(0);
  });
});

/** The first write is lost on the way, and may come at any time. */
function losing() {
  let lost = false;
  return {
    before: (call: string) => {
      if (call !== "write" || lost) return;
      lost = true;
      throw replyLost();
    },
  };
}

/** Actions of `before` when the run's commit arrives. */
function atCommit(work: () => void) {
  return { before: (call: string) => (call === "commit" ? work() : undefined) };
}

describe("a write without a reply that a later run's commit includes", () => {
  it("is not blamed on the device, which was written at the same place: the next run heals", async () => {
    const world = new World(BARE).want(addresses({ a: "10.0.0.1" }));
    expect((await world.reconcile({ wire: losing() })).error).toBeUndefined();
    world.want(addresses({ a: "10.0.0.2" }));
    const wire = atCommit(() => world.device.write("netops", late));
    expect((await world.reconcile({ wire })).error).toMatchObject({ code: "late-write" });
    expect(addressesOf(world.device.running)).toMatchObject({ a: "10.0.0.1" });
    expect((await world.reconcile()).error).toBeUndefined();
    expect(addressesOf(world.device.running)).toMatchObject({ a: "10.0.0.2" });
  });

  it("leaves no undesired object, for two days", async () => {
    const world = new World(BARE).want(addresses({ a: "10.0.0.1", b: "10.0.0.2" }));
    expect((await world.reconcile({ wire: losing() })).error).toBeUndefined();
    world.want(addresses({ a: "10.0.0.1" }));
    expect((await world.reconcile()).error).toBeUndefined();
    world.want(addresses({ a: "10.0.0.3" }));
    const wire = atCommit(() => world.device.write("netops", [setAddress(ADDRESS, "b", "10.0.0.2")]));
    expect((await world.reconcile({ wire })).error).toMatchObject({ code: "late-write" });
    expect((await world.drift()).drift?.items).toMatchObject([{ change: { kind: "extra" } }]);
    expect((await world.reconcile()).error).toBeUndefined();
    expect(addressesOf(world.device.running)).toEqual({ theirs: "192.0.2.9", a: "10.0.0.3" });
  });

  it.each([
    ["has other content", setAddress(ADDRESS, "b", "10.0.0.9")],
    ["was made by a colleague", madeBy("alice", "b", "10.0.0.2")],
  ])("is not what %s, which stays", async (_, theirs) => {
    const world = new World(BARE).want(addresses({ a: "10.0.0.1", b: "10.0.0.2" }));
    await world.reconcile({ wire: losing() });
    world.want(addresses({ a: "10.0.0.1" }));
    await world.reconcile();
    world.device.write("alice", [theirs]);
    world.device.commit("alice", "by hand", true);
    expect((await world.reconcile()).error).toBeUndefined();
    expect(addressesOf(world.device.running)).toHaveProperty("b");
  });

  it("is owned even if another object was there before, once the device confirms its account", async () => {
    const world = new World(BARE).want(addresses({ a: "10.0.0.1", theirs: "10.0.0.2" }));
    await world.reconcile({ wire: losing() });
    world.want(addresses({ a: "10.0.0.1" }));
    await world.reconcile();
    world.device.write("netops", [madeBy("netops", "theirs", "10.0.0.2")]);
    world.device.commit("netops", "late", true);
    expect((await world.reconcile()).error).toBeUndefined();
    expect(addressesOf(world.device.running)).toEqual({ a: "10.0.0.1" });
  });

  it("is not the former object of another owner: that is theirs again", async () => {
    const world = new World(BARE).want(addresses({ a: "10.0.0.1", theirs: "10.0.0.2" }));
    await world.reconcile({ wire: losing() });
    world.want(addresses({ a: "10.0.0.1" }));
    await world.reconcile();
    world.device.write("alice", [setAddress(ADDRESS, "theirs", "10.0.0.2")]);
    world.device.commit("alice", "by hand", true);
    expect((await world.reconcile()).error).toBeUndefined();
    expect(addressesOf(world.device.running)).toMatchObject({ theirs: "10.0.0.2" });
  });
});

it("a write that arrives during the unlock, which gets no reply either, is reported", async () => {
  const world = new World(BARE).want(addresses({ a: "10.0.0.1" }));
  world.device.keepsLocks = true;
  const { before } = losing();
  const unlocking = (call: string) => {
    before(call);
    if (call !== "unlock") return;
    world.device.write("netops", late);
    throw replyLost();
  };
  const outcome = await world.reconcile({ wire: { before: unlocking } });
  expect(outcome.error).toBeUndefined();
  expect(outcome.warnings).toContainEqual(expect.stringContaining("may have been executed after the commit"));
});

/** As returned by a firewall that marks administrators' changes. */
function madeBy(admin: string, name: string, ip: string): Operation {
  const element = new TreeNode("entry", name, "", [new TreeNode("ip-netmask", undefined, ip)], new Map([["admin", admin]]));
  return { action: "set", at: parsePath(ADDRESS), element };
}
