import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { StepName } from "../../src/engine/apply/steps.js";
import { DeviceRegistry } from "../../src/engine/device-registry.js";
import type { WriteTarget } from "../../src/engine/write-target.js";
import type { TargetOutcome } from "../../src/outcome/outcome.js";
import { ADDRESS, addresses, addressesOf, BARE, setAddress } from "./apply/scenes.js";
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

  it.each([
    ["before the lock", "lock", true],
    ["before the ledger is written, on a device without locks", "ledger-before", false],
  ] as const)("are refused if the first runs overlap in two processes: %s", async (_, step, locks) => {
    const { world } = twice();
    world.capabilities = { ...world.capabilities, locks };
    let core: TargetOutcome | undefined;
    const before = async (at: StepName) => {
      if (at === step && core === undefined) [core] = await world.reconcileAll({ pass: { targets: ["core"] } });
    };
    const edge = await world.reconcileAll({ pass: { targets: ["edge"] }, observer: { before, after: () => undefined } });
    expect(core?.error).toBeUndefined();
    expect(edge.map(({ error }) => error?.code)).toEqual(["device-twice"]);
    expect(addressesOf(world.device.running).a).toBe("10.0.0.2");
    const again = await world.reconcileAll({ pass: { targets: ["edge"] } });
    expect(again.map(({ error }) => error?.code)).toEqual(["device-twice"]);
    expect((await world.reconcileAll({ pass: { targets: ["core"] } })).map(({ error }) => error)).toEqual([undefined]);
  });

  it("are refused if the second first run begins after the ledger of the first names the device", async () => {
    const { world } = twice();
    world.capabilities = { ...world.capabilities, locks: false };
    let core: TargetOutcome | undefined;
    const after = async (at: StepName) => {
      if (at === "ledger-before" && core === undefined) [core] = await world.reconcileAll({ pass: { targets: ["core"] } });
    };
    const edge = await world.reconcileAll({ pass: { targets: ["edge"] }, observer: { before: () => undefined, after } });
    expect([core?.error?.code, edge[0]?.error]).toEqual(["device-twice", undefined]);
    expect(addressesOf(world.device.running).a).toBe("10.0.0.1");
  });

  it("are refused if both ledgers are written without a change of the device", async () => {
    const { world } = twice();
    writeFileSync(join(world.folder, "edge/core.yaml"), addresses({ a: "10.0.0.1" }).replace("target: edge", "target: core"));
    world.device.write("alice", [setAddress(ADDRESS, "a", "10.0.0.1")]);
    world.device.commit("alice", "by hand", true);
    let core: TargetOutcome | undefined;
    const wrap = (target: WriteTarget): WriteTarget => {
      const read = target.read.bind(target);
      target.read = async (...asked) => {
        if (core === undefined) [core] = await world.reconcileAll({ pass: { targets: ["core"] } });
        return await read(...asked);
      };
      return target;
    };
    const edge = await world.reconcileAll({ pass: { targets: ["edge"] }, wrap });
    expect([core?.error, edge[0]?.error?.code]).toEqual([undefined, "device-twice"]);
  });
});
