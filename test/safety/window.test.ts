import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { exitCode } from "../../src/outcome/outcome.js";
import { addresses, addressesOf, BARE } from "../engine/apply/scenes.js";
import { World } from "../engine/apply/world.js";

/** Windows and freezes of plumbline.yaml bind every runner. */

const HERS = { theirs: "192.0.2.9" };
const OURS = { a: "10.0.0.1", ...HERS };

/** At 03:04 on 2 January. */
function worldWith(windows: string): World {
  const world = new World(BARE).want(addresses({ a: "10.0.0.1" }));
  const file = join(world.folder, "plumbline.yaml");
  writeFileSync(file, `${readFileSync(file, "utf8")}agent: { windows: [${windows}] }\n`);
  return world;
}

const FREEZE = '{ deny: "0 0 2 1 *", for: 12h }';
const allow = new Map([["window", ""]]);

describe("a manual run", () => {
  it("writes nothing in a freeze, reports its end, and does not touch the device", async () => {
    const world = worldWith(FREEZE);
    const outcome = await world.reconcile();
    expect(outcome.error).toMatchObject({
      code: "window-shut",
      message: expect.stringMatching(/^window: denied by .* until 2026-01-02T12:00:00.000Z$/),
      next: expect.stringContaining("--allow window"),
    });
    expect(exitCode([outcome])).toBe(3);
    expect(outcome.plan?.operations).not.toEqual([]);
    expect(world.device.events).toEqual([]);
    expect((await world.plan()).error).toBeUndefined();
    world.now += 9 * 3_600_000;
    expect((await world.reconcile()).error).toBeUndefined();
    expect(addressesOf(world.device.running)).toEqual(OURS);
  });

  it("is allowed once with --allow window, with a message", async () => {
    const world = worldWith(FREEZE);
    const outcome = await world.reconcile({ pass: { allow } });
    expect(outcome.error).toBeUndefined();
    expect(outcome.warnings).toEqual([
      expect.stringContaining("not in a git repository"),
      expect.stringContaining("outside the change window, passed by --allow window"),
    ]);
    expect(addressesOf(world.device.running)).toEqual(OURS);
    expect(exitCode([await world.reconcile()])).toBe(0);
    world.want(addresses({ a: "10.0.0.2" }));
    expect((await world.reconcile()).error).toMatchObject({ code: "window-shut" });
  });

  it("writes nothing if its window ended while it waited for a lock", async () => {
    const world = worldWith('{ allow: "0 3 * * *", for: 5m }');
    const { locks } = world.device;
    locks.push({ kind: "config", scope: "vsys1", owner: "alice", comment: "mine", created: undefined });
    const sleep = async () => {
      world.now += 120_000;
      locks.splice(0);
    };
    const outcome = await world.reconcile({ write: { lockTimeout: 600, sleep } });
    expect(outcome.error).toMatchObject({ code: "window-shut" });
    expect(world.device.pending).toEqual([]);
    expect(addressesOf(world.device.running)).toEqual(HERS);
  });

  it("is bound only by windows of its target", async () => {
    const world = worldWith('{ deny: "0 0 2 1 *", for: 12h, targets: [elsewhere] }');
    expect((await world.reconcile()).error).toBeUndefined();
  });
});
