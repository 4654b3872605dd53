import { afterEach, expect, it } from "vitest";
import { leaseLost, type WriteLease } from "../../../src/core/write-lease.js";
import type { WriteTarget } from "../../../src/engine/write-target.js";
import { LabWorld } from "./lab-world.js";
import { rewired } from "./rewired.js";
import { ADDRESS, addresses, BARE } from "./scenes.js";

const worlds: LabWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

/** A lease that is lost at its n-th check. */
function lostAt(look: number, fence: number, onLoss: () => void): WriteLease {
  let looks = 0;
  return {
    fence,
    mayWrite: () => {
      looks += 1;
      if (looks < look) return;
      if (looks === look) onLoss();
      throw leaseLost("edge");
    },
  };
}

const NEVER_GIVEN = { unlock: async () => undefined, breakLock: async () => undefined };
const HELD: Omit<WriteLease, "fence"> = { mayWrite: () => undefined };
const CHANGES = /^(set|edit|delete|rename|move|multi-config)$/;

it("nothing is sent after the lease is lost, at any point, and the next holder completes the work", async () => {
  let reached = 0;
  for (let look = 1; ; look++) {
    const world = await LabWorld.start(BARE, { strict: true });
    worlds.push(world);
    world.want(addresses({ a: "10.0.0.1", b: "10.0.0.2" }));
    const { state } = world.lab.device;
    let requestsAtLoss: number | undefined;
    const lease = lostAt(look, 1, () => {
      requestsAtLoss = state.journal.length;
    });
    const stale = await world.reconcile({ machine: { host: "noc1", pid: 1 }, write: { lease } });
    if (requestsAtLoss === undefined) {
      expect(stale.error).toBeUndefined();
      break;
    }
    const after = state.journal.slice(requestsAtLoss);
    const writes = after.filter(
      ({ type, action = "", cmd = "" }) => CHANGES.test(action) || type === "commit" || /<(add|remove|revert)\b/.test(cmd),
    );
    expect(writes).toEqual([]);
    const next = await world.reconcile({ machine: { host: "noc2", pid: 2 }, write: { lease: { ...HELD, fence: 2 } } });
    expect(next.error).toBeUndefined();
    const commits = state.commits.filter(({ ok, edits }) => ok && edits.length > 0);
    expect(commits).toHaveLength(1);
    expect(state.violations).toEqual([]);
    const found = JSON.stringify(world.lab.device.act("alice", { type: "config", action: "show", xpath: ADDRESS }));
    expect(found).toContain("10.0.0.1");
    expect(found).toContain("10.0.0.2");
    reached = look;
    await worlds.pop()?.close();
  }
  expect(reached).toBeGreaterThan(5);
});

it("a lock of an earlier lease is taken over; one without a lease is judged by its age", async () => {
  const world = await LabWorld.start(BARE);
  worlds.push(world);
  world.want(addresses({ a: "10.0.0.1" }));
  const foreign = { ...HELD, fence: 7 };
  const die = async (name: string): Promise<void> => {
    if (name === "commit") throw new Error("gone");
  };
  const machine = { host: "noc1", pid: 1, random: () => "aa" };
  const wrap = (target: WriteTarget) =>
    rewired(target, (writer) => (writer.locks === undefined ? writer : { ...writer, locks: { ...NEVER_GIVEN, lock: writer.locks.lock } }));
  await world.reconcile({ machine, wrap, write: { lease: foreign, observer: { before: die, after: () => undefined } } });
  const byHand = await world.reconcile({ machine: { host: "noc2", pid: 2 } });
  expect(byHand.error?.code).toBe("locked-by-run");
  const older = await world.reconcile({ machine: { host: "noc2", pid: 2 }, write: { lease: { ...HELD, fence: 6 } } });
  expect(older.error?.code).toBe("locked-by-run");
  const newer = await world.reconcile({ machine: { host: "noc2", pid: 2 }, write: { lease: { ...HELD, fence: 8 } } });
  expect(newer.error).toBeUndefined();
  expect(newer.applied?.proven).toBe(true);
});
