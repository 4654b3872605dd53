import { describe, expect, it } from "vitest";
import type { Operation } from "../../src/core/operation.js";
import { exitCode } from "../../src/outcome/outcome.js";
import { replyLost } from "../engine/apply/device-target.js";
import { ADDRESS, addresses, addressesOf, BARE, setAddress } from "../engine/apply/scenes.js";
import { World } from "../engine/apply/world.js";

/** A request whose reply was lost is carried out after the commit. */

const late: Operation[] = [setAddress(ADDRESS, "a", "10.0.0.1")];

/** The first write is lost on the way; it comes right after the commit, with whatever else happens then. */
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

describe("a write that comes after the commit", () => {
  it("leaves no edit of ours behind an exit 0", async () => {
    const world = new World(BARE).want(addresses({ a: "10.0.0.1" }));
    const outcome = await world.reconcile({ wire: delayed(world) });
    expect(outcome.error).toBeUndefined();
    expect(world.device.pending).toEqual([]);
    expect(addressesOf(world.device.running)).toMatchObject({ a: "10.0.0.1" });
    expect((await world.reconcile()).error).toBeUndefined();
  });

  it("does not cost a person their work under our account, which is told", async () => {
    const world = new World(BARE).want(addresses({ a: "10.0.0.1" }));
    const outcome = await world.reconcile({ wire: delayed(world, [setAddress("/config/shared/address", "manual", "10.3.3.3")]) });
    expect(outcome.error).toBeUndefined();
    expect(outcome.warnings).toContainEqual(expect.stringContaining("somebody may work under it"));
    expect(world.device.pending).toHaveLength(2);
    world.want(addresses({ a: "10.0.0.2" }));
    const next = await world.reconcile({ pass: { stateFolder: `${world.folder}/elsewhere` } });
    expect(next.error).toMatchObject({
      code: "own-pending",
      message: expect.stringContaining("or a request of a run of ours that came late"),
    });
  });

  it("is told of where the device cannot revert", async () => {
    const world = new World(BARE).want(addresses({ a: "10.0.0.1" }));
    world.capabilities = { ...world.capabilities, partialRevert: false };
    const outcome = await world.reconcile({ wire: delayed(world) });
    expect(outcome.error).toBeUndefined();
    expect(outcome.warnings).toContainEqual(expect.stringContaining("came after the commit"));
  });
});

describe("a write that comes after its run has ended", () => {
  const cases = [true, false].flatMap((partialRevert) => [true, false].map((isHere) => [partialRevert, isHere] as const));

  it.each(cases)("is not left behind an exit 0 (revert: %s, on the same machine: %s)", async (partialRevert, isHere) => {
    const world = new World(BARE).want(addresses({ a: "10.0.0.1", gone: "10.0.0.9" }));
    world.capabilities = { ...world.capabilities, partialRevert };
    await world.reconcile();
    world.want(addresses({ a: "10.0.0.1" }));
    expect((await world.reconcile()).error).toBeUndefined();
    // Of the first run: nothing that is declared now speaks of it.
    world.device.write("netops", [setAddress(ADDRESS, "gone", "10.0.0.9")]);
    const pass = isHere ? {} : { stateFolder: `${world.folder}/elsewhere` };
    const next = await world.reconcile({ pass });
    expect(exitCode([next])).toBe(3);
    expect(next.error).toMatchObject({
      code: "own-pending",
      message: expect.stringContaining("a request of a run of ours that came late"),
    });
    expect(addressesOf(world.device.running)).not.toHaveProperty("gone");
    expect((await world.reconcile({ pass, write: { takeover: true } })).error).toBeUndefined();
    expect(addressesOf(world.device.running)).not.toHaveProperty("gone");
    expect(world.device.locks).toEqual([]);
    if (partialRevert) expect(world.device.pending).toEqual([]);
  });

  it("is nothing to anybody where it says what is so already", async () => {
    const world = new World(BARE).want(addresses({ a: "10.0.0.1" }));
    await world.reconcile();
    world.device.write("netops", late);
    expect(exitCode([await world.reconcile()])).toBe(0);
  });
});
