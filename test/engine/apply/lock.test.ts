import { describe, expect, it } from "vitest";
import { formatMark } from "../../../src/engine/apply/lock-mark.js";
import type { Machine } from "../../../src/engine/pass/machine.js";
import type { WriteOptions } from "../../../src/engine/pass/options.js";
import type { Wire } from "./device-target.js";
import { ADDRESS, addresses, addressesOf, BARE, setAddress } from "./scenes.js";
import { World } from "./world.js";

const WANTED = { a: "10.0.0.1", b: "10.0.0.2" };
const AFTER = { theirs: "192.0.2.9", ...WANTED };

function world(): World {
  return new World(BARE).want(addresses(WANTED));
}

describe("locks", () => {
  const run = { started: Date.UTC(2026, 0, 2, 3, 0, 0), host: "a1", pid: 99, random: "old" };
  const lockOf = (owner: string, comment: string) => ({ kind: "config" as const, scope: "vsys1", owner, comment, created: undefined });

  it.each([
    ["another administrator's", lockOf("alice", "maintenance"), "locked-by-other"],
    ["another owner's under our account", lockOf("netops", formatMark("other", run, "00")), "locked-by-other"],
    ["a person's under our account", lockOf("netops", ""), "locked-by-other"],
    ["a living run's", lockOf("netops", formatMark("netops-edge", run, "00")), "locked-by-run"],
  ])("%s refuse", async (_, lock, code) => {
    const w = world();
    w.device.locks.push(lock);
    const outcome = await w.reconcile({ machine: { isAlive: () => true } });
    expect(outcome.error).toMatchObject({ code, severity: "refused" });
    expect(w.device.locks).toEqual([lock]);
    expect(w.device.pending).toEqual([]);
  });

  it.each<[string, Partial<Machine>, Partial<WriteOptions>]>([
    ["its process is gone", { isAlive: () => false }, {}],
    ["it was seen unchanged for its length", { host: "b2", isAlive: () => true }, { lockTimeout: 3600 }],
    ["we are told to", { isAlive: () => true }, { takeover: true }],
  ])("of another run are taken over with what it left when %s", async (_, machine, write) => {
    const w = world();
    w.device.write("netops", [setAddress(ADDRESS, "halfway", "10.3.3.3")]);
    w.device.locks.push(lockOf("netops", formatMark("netops-edge", run, "00")));
    const outcome = await w.reconcile({ machine, write });
    expect(outcome.error).toBeUndefined();
    expect(addressesOf(w.device.running)).toEqual(AFTER);
    expect(w.device.locks).toEqual([]);
  });

  it("of another machine are not expired because the local clock is ahead", async () => {
    const w = world();
    w.device.locks.push(lockOf("netops", formatMark("netops-edge", run, "00")));
    const machine = { host: "b2", now: () => run.started + 3_600_000, monotonic: () => 0 };
    expect((await w.reconcile({ machine })).error).toMatchObject({ code: "locked-by-run" });
    expect(w.device.locks).toHaveLength(1);
  });

  it.each([
    ["that lives refuses", true, "locked-by-run"],
    ["that is over is cleared away", false, undefined],
  ])("of a run of ours in another part %s: no two runs of ours work side by side", async (_, alive, code) => {
    const w = world();
    const lock = { ...lockOf("netops", formatMark("netops-edge", run, "00")), scope: "vsys7" };
    w.device.locks.push(lock);
    const outcome = await w.reconcile({ machine: { isAlive: () => alive } });
    expect(outcome.error?.code).toBe(code);
    expect(w.device.locks).toEqual(alive ? [lock] : []);
  });

  it("are waited for", async () => {
    const w = world();
    w.device.locks.push(lockOf("alice", "soon done"));
    const sleep = async (milliseconds: number) => {
      w.now += milliseconds;
      if (w.now > Date.UTC(2026, 0, 2, 3, 4, 30)) w.device.drop("alice");
    };
    expect((await w.reconcile({ write: { lockTimeout: 10, sleep } })).error).toMatchObject({ code: "locked-by-other" });
    expect((await w.reconcile({ write: { lockTimeout: 60, sleep } })).error).toBeUndefined();
  });

  it("that are taken between the list and the request are named, and waited for", async () => {
    const faster = (w: World): Wire => {
      let calls = 0;
      return {
        before(call) {
          if (call === "lock" && ++calls === 1) w.device.locks.push(lockOf("alice", "faster"));
        },
      };
    };
    const refused = world();
    expect((await refused.reconcile({ wire: faster(refused) })).error).toMatchObject({ code: "locked-by-other" });
    const w = world();
    const sleep = async (milliseconds: number) => {
      w.now += milliseconds;
      w.device.drop("alice");
    };
    expect((await w.reconcile({ wire: faster(w), write: { lockTimeout: 10, sleep } })).error).toBeUndefined();
  });

  it("on another virtual system are ignored", async () => {
    const w = world();
    w.device.locks.push({ ...lockOf("alice", ""), scope: "vsys2" });
    expect((await w.reconcile()).error).toBeUndefined();
  });

  it("that are lost before the commit stop the run", async () => {
    const w = world();
    const wire: Wire = {
      after(call) {
        if (call === "write") w.device.drop("netops");
      },
    };
    const outcome = await w.reconcile({ wire });
    expect(outcome.error).toMatchObject({ code: "lock-lost" });
    expect(w.device.pending).toEqual([]);
  });
});
