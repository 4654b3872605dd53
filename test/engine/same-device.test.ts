import { describe, expect, it } from "vitest";
import { DeviceRegistry } from "../../src/engine/same-device.js";
import { addresses, addressesOf, BARE } from "./apply/scenes.js";
import { World } from "./apply/world.js";

const device = (...names: string[]) => ({ names, isPartial: false });

/** Two targets of one configuration that lead to the same device. */
function twice() {
  const world = new World(BARE).want(addresses({ a: "10.0.0.1" }));
  const other = world.add("core", BARE, addresses({ a: "10.0.0.2" }).replace("target: edge", "target: core"));
  other.serial = world.device.serial;
  world.others.set("core", world.device);
  return { world, other };
}

describe("two targets that lead to the same device", () => {
  it("are refused in a run before a write, also if only ledgers name the device", async () => {
    const { world } = twice();
    for (let run = 0; run < 2; run++) {
      const outcomes = await world.reconcileAll();
      expect(outcomes.map(({ target, error }) => `${target} ${error?.code} ${error?.severity}`).sort()).toEqual([
        "core device-twice refused",
        "edge device-twice refused",
      ]);
    }
    expect([world.device.events, addressesOf(world.device.running).a]).toEqual([[], undefined]);
    const single = await world.reconcileAll({ pass: { targets: ["edge"] } });
    expect(single.map(({ error }) => error)).toEqual([undefined]);
    const other = { pass: { targets: ["core"] } };
    const later = [
      ...(await world.planAll(other)),
      await world.drift(other),
      ...(await world.reconcileAll(other)),
      await world.adopt(other),
    ];
    const message = `The targets core and edge lead to the same device, ${world.device.serial}.`;
    expect(later.map(({ error }) => error?.message)).toEqual([message, message, message, message]);
    const events = world.device.events.length;
    expect((await world.reconcileAll()).map(({ error }) => error?.code)).toEqual(["device-twice", "device-twice"]);
    expect(world.device.events).toHaveLength(events);
  });

  it("are refused in a plan and a drift check of both", async () => {
    const { world } = twice();
    for (const outcomes of [await world.planAll(), await world.driftAll()])
      expect(outcomes.map(({ error, plan, drift }) => [error?.code, plan, drift])).toEqual(
        Array(2).fill(["device-twice", undefined, undefined]),
      );
    expect((await world.planAll({ pass: { targets: ["edge"] } })).map(({ error }) => error)).toEqual([undefined]);
  });

  it("are refused by a process that visits them one by one, until one is renamed or moved", () => {
    const targets = new Set(["a", "b"]);
    const registry = new DeviceRegistry((name) => targets.has(name));
    registry.claim("a", device("1", "2"));
    registry.claim("a", device("2"));
    expect(() => registry.claim("b", device("2", "3"))).toThrow("The targets a and b lead to the same device, 2.");
    registry.claim("b", device("1"));
    registry.claim("a", device("4"));
    registry.claim("b", device("2"));
    targets.delete("b");
    registry.claim("a", device("2"));
    registry.claim("a", device());
  });

  it("are refused by the process that writes the second one", async () => {
    const { world } = twice();
    const devices = new DeviceRegistry(() => true);
    await world.reconcileAll({ pass: { targets: ["edge"], devices } });
    const [second] = await world.reconcileAll({ pass: { targets: ["core"], devices } });
    expect([second?.error?.code, addressesOf(world.device.running).a]).toEqual(["device-twice", "10.0.0.1"]);
  });
});
