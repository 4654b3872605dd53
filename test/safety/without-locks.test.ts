import { describe, expect, it } from "vitest";
import { ADDRESS, addresses, addressesOf, BARE, setAddress } from "../engine/apply/scenes.js";
import { World } from "../engine/apply/world.js";

/** On a device without locks, another administrator may commit between the last check and Plumbline's commit. */

/** Address `a` of Plumbline, and one action of another administrator right before the first write. */
async function withColleague(wanted: Readonly<Record<string, string>>, work: (world: World) => void) {
  const world = new World(BARE).want(addresses({ a: "10.0.0.1", b: "10.0.0.2" }));
  world.capabilities = { ...world.capabilities, locks: false };
  expect((await world.reconcile()).error).toBeUndefined();
  world.want(addresses(wanted));
  let done = false;
  const before = (call: string) => {
    if (done || call !== "write") return;
    done = true;
    work(world);
  };
  return { world, outcome: await world.reconcile({ wire: { before } }) };
}

function commitByAlice(world: World, name: string, ip: string): void {
  world.device.write("alice", [setAddress(ADDRESS, name, ip)]);
  world.device.commit("alice", "by hand", true);
}

describe("a commit of others during a write, on a device without locks", () => {
  it.each([
    ["deleted", { b: "10.0.0.2" }],
    ["changed", { a: "10.0.0.9", b: "10.0.0.2" }],
  ])("is not %s unseen: we take our work back, and nothing of ours is left", async (_, wanted) => {
    const { world, outcome } = await withColleague(wanted, (world) => commitByAlice(world, "a", "10.7.7.7"));
    expect(outcome.error).toMatchObject({ code: "foreign-change", severity: "refused" });
    expect(addressesOf(world.device.running)).toMatchObject({ a: "10.7.7.7" });
    expect(addressesOf(world.device.candidate)).toMatchObject({ a: "10.7.7.7" });
    expect(world.device.pending).toEqual([]);
  });

  it("is deleted by no later run without a request", async () => {
    const { world } = await withColleague({ b: "10.0.0.2" }, (world) => commitByAlice(world, "a", "10.7.7.7"));
    expect((await world.reconcile()).plan?.refusals).toMatchObject([{ guard: "not-as-left" }]);
    expect(addressesOf(world.device.running)).toMatchObject({ a: "10.7.7.7" });
  });

  it("is ignored elsewhere", async () => {
    const { world, outcome } = await withColleague({ b: "10.0.0.2" }, (world) => commitByAlice(world, "hers", "10.7.7.7"));
    expect(outcome.error).toBeUndefined();
    expect(addressesOf(world.device.running)).toEqual({ theirs: "192.0.2.9", b: "10.0.0.2", hers: "10.7.7.7" });
  });

  it("is ignored if it included the written changes", async () => {
    const { world, outcome } = await withColleague({ a: "10.0.0.9", b: "10.0.0.2" }, ({ device }) => {
      device.write("alice", [setAddress(ADDRESS, "a", "10.0.0.9")]);
      device.commit("alice", "by hand", true);
    });
    expect(outcome.error).toBeUndefined();
    expect(addressesOf(world.device.running)).toMatchObject({ a: "10.0.0.9" });
  });
});
