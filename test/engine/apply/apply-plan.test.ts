import { describe, expect, it } from "vitest";
import { parsePath } from "../../../src/core/tree/xpath/xpath.js";
import { exitCode } from "../../../src/outcome/outcome.js";
import { refused } from "./device.js";
import { ALL, type Call, replyLost, SPECIFICATION, type Wire } from "./device-target.js";
import { ADDRESS, addresses, addressesOf, BARE, setAddress } from "./scenes.js";
import { World } from "./world.js";

const WANTED = { a: "10.0.0.1", b: "10.0.0.2" };
const AFTER = { theirs: "192.0.2.9", ...WANTED };

function world(more = ""): World {
  return new World(BARE, more).want(addresses(WANTED));
}

/** Fails the n-th call of a kind, before the device executes it or after. */
function failing(call: Call, moment: keyof Wire, error: () => Error = replyLost, nth = 1): Wire {
  let count = 0;
  const hook = (name: Call) => {
    if (name !== call) return;
    count += 1;
    if (count === nth) throw error();
  };
  return { [moment]: hook };
}

describe("a lost reply", () => {
  it.each(["before", "after"] as const)("to a write (%s it was executed) is looked after, not repeated blindly", async (moment) => {
    const w = world();
    const outcome = await w.reconcile({ wire: failing("write", moment) });
    expect(outcome.error).toBeUndefined();
    expect(addressesOf(w.device.running)).toEqual(AFTER);
    const writes = w.device.events.filter((event) => event.kind === "write");
    expect(writes).toHaveLength(outcome.plan?.operations.length ?? 0);
  });

  it.each(["before", "after"] as const)("to a commit (%s it was executed) ends in one commit", async (moment) => {
    const w = world();
    const outcome = await w.reconcile({ wire: failing("commit", moment) });
    expect(outcome.error).toBeUndefined();
    expect(outcome.applied?.commit).toBe("committed");
    expect(addressesOf(w.device.running)).toEqual(AFTER);
    expect(w.device.jobs).toHaveLength(1);
  });

  it("to a commit whose job failed is reported as that failure", async () => {
    const w = world();
    w.device.failNextCommit = ["vsys1 is broken"];
    const outcome = await w.reconcile({ wire: failing("commit", "after") });
    expect(outcome.error).toMatchObject({ code: "commit-failed", message: expect.stringContaining("vsys1 is broken") });
    expect(w.device.pending).toEqual([]);
  });

  it("to a commit that cannot be looked up keeps the lock and is reported", async () => {
    const w = world();
    let settled = 0;
    const wire: Wire = {
      after(call) {
        if (call === "commit") throw replyLost();
      },
      before(call) {
        if (call === "settleJobs") settled += 1;
        if (call === "settleJobs" && settled > 1) throw refused("gone");
      },
    };
    const outcome = await w.reconcile({ wire });
    expect(outcome.error).toMatchObject({ code: "commit-unknown", severity: "partial" });
    expect(exitCode([outcome])).toBe(4);
  });

  it.each([
    ["its lock is gone", (world: World) => world.device.locks.splice(0)],
    [
      "a colleague has begun there",
      (world: World) => world.device.pending.push({ admin: "alice", operation: setAddress(ADDRESS, "a", "10.9.9.9") }),
    ],
  ])("whose request is lost is not sent again where %s", async (_, meanwhile) => {
    const world = new World(BARE).want(addresses({ a: "10.0.0.1" }));
    let sent = 0;
    const before = (call: string) => {
      if (call !== "commit") return;
      sent += 1;
      meanwhile(world);
      throw replyLost();
    };
    const outcome = await world.reconcile({ wire: { before } });
    expect([outcome.error?.code, outcome.error?.severity, sent]).toEqual(["commit-unknown", "partial", 1]);
  });

  it("to the unlock is no failure, and the next run clears the lock", async () => {
    const w = world();
    w.device.drop = () => undefined;
    const outcome = await w.reconcile({ wire: failing("unlock", "before") });
    expect(outcome.error).toBeUndefined();
    expect(outcome.warnings.join()).toContain("lock could not be removed");
    expect(w.device.locks).toHaveLength(1);
    const { drop } = Object.getPrototypeOf(w.device) as { drop: (admin: string) => void };
    w.device.drop = drop;
    expect((await w.reconcile()).error).toBeUndefined();
    expect(w.device.locks).toEqual([]);
  });
});

describe("a failure is undone", () => {
  it.each([
    ["the commit job", "commit-failed", "failNextCommit"],
    ["the validation", "validation-failed", "failNextValidation"],
  ] as const)("of %s", async (_, code, broken) => {
    const w = world();
    w.device[broken] = ["no"];
    const outcome = await w.reconcile();
    expect(outcome.error).toMatchObject({ code });
    expect(exitCode([outcome])).toBe(1);
    expect(w.device.pending).toEqual([]);
    expect(w.device.locks).toEqual([]);
    expect((await w.reconcile()).error).toBeUndefined();
    expect(addressesOf(w.device.running)).toEqual(AFTER);
  });

  it("of a write, also without a revert: by inverse operations", async () => {
    const w = world();
    w.capabilities = { ...ALL, atomicBatch: false, maxBatchOperations: 1, partialRevert: false };
    await w.reconcile();
    w.want(addresses({ a: "10.0.0.9", c: "10.0.0.3" }));
    const before = addressesOf(w.device.candidate);
    w.device.failNextCommit = ["no"];
    const outcome = await w.reconcile();
    expect(outcome.error).toMatchObject({ code: "commit-failed" });
    expect(addressesOf(w.device.candidate)).toEqual(before);
  });

  it("unless another administrator changed the written nodes: the run stops, keeps the lock and reports it", async () => {
    const w = world();
    w.capabilities = { ...ALL, partialRevert: false };
    const wire: Wire = {
      before(call) {
        if (call !== "validate") return;
        w.device.pending.push({ admin: "netops", operation: setAddress(ADDRESS, "a", "10.7.7.7") });
        throw refused("no");
      },
    };
    const outcome = await w.reconcile({ wire });
    expect(outcome.error).toMatchObject({ code: "candidate-not-restored", severity: "partial" });
    expect(w.device.locks).toHaveLength(1);
    expect(addressesOf(w.device.candidate)).toMatchObject({ a: "10.7.7.7" });
  });

  it.each(["write", "validate"])("after a request to stop in the last %s: nothing is committed", async (last) => {
    for (const partialRevert of [true, false]) {
      const w = world();
      w.capabilities = { ...ALL, partialRevert };
      const stop = new AbortController();
      const wire: Wire = {
        after(call) {
          if (call === last) stop.abort();
        },
      };
      const before = addressesOf(w.device.candidate);
      const outcome = await w.reconcile({ wire, pass: { stop: stop.signal } });
      expect(outcome.error).toMatchObject({ code: "interrupted", severity: "error" });
      expect(w.device.events.filter(({ kind }) => kind === "commit")).toEqual([]);
      expect(addressesOf(w.device.candidate)).toEqual(before);
      expect(w.device.locks).toEqual([]);
    }
  });

  it("after a request to stop", async () => {
    const w = world();
    w.capabilities = { ...ALL, maxBatchOperations: 1 };
    w.want(`${addresses(WANTED)}  tag:\n    red: { color: color1 }\n`);
    const stop = new AbortController();
    const wire: Wire = {
      after(call) {
        if (call === "write") stop.abort();
      },
    };
    const outcome = await w.reconcile({ wire, pass: { stop: stop.signal } });
    expect(outcome.error).toMatchObject({ code: "interrupted" });
    expect(w.device.pending).toEqual([]);
    expect(w.device.locks).toEqual([]);
  });
});

describe("an administrator writes between plan and apply", () => {
  it("causes a new plan", async () => {
    const w = world();
    let done = false;
    const wire: Wire = {
      before(call) {
        if (call !== "lock" || done) return;
        done = true;
        w.device.write("alice", [setAddress(ADDRESS, "a", "10.5.5.5")]);
        w.device.commit("alice", "by hand", false);
      },
    };
    const outcome = await w.reconcile({ wire });
    expect(outcome.error).toBeUndefined();
    expect(addressesOf(w.device.running)).toEqual(AFTER);
  });

  it("refuses after too many repetitions", async () => {
    const w = world();
    w.capabilities = { ...ALL, locks: false };
    let count = 0;
    const wire: Wire = {
      before(call) {
        if (call !== "read") return;
        w.device.write("alice", [setAddress(ADDRESS, "a", `10.5.5.${++count}`)]);
        w.device.commit("alice", "by hand", false);
      },
    };
    const outcome = await w.reconcile({ wire });
    expect(outcome.error).toMatchObject({ code: "target-keeps-changing", severity: "refused" });
    expect(w.device.events.some((event) => event.kind === "write" && event.admin === "netops")).toBe(false);
  });

  it("refuses to execute another plan than the approved one", async () => {
    const w = world();
    const { plan } = await w.plan();
    w.device.write("alice", [setAddress(ADDRESS, "a", "10.5.5.5")]);
    w.device.commit("alice", "by hand", false);
    const digests = new Map([["edge", plan?.digest ?? ""]]);
    const outcome = await w.reconcile({ write: { digests } });
    expect(outcome.error).toMatchObject({ code: "plan-moved", severity: "refused" });
    expect(w.device.events.some((event) => event.kind === "write" && event.admin === "netops")).toBe(false);
  });

  it.each([
    ["puts our work back when others begin theirs where ours is", ADDRESS, "foreign-change"],
    ["commits ours alone when others begin theirs elsewhere", "/config/shared/address", undefined],
  ])("%s before our commit", async (_, list, code) => {
    const w = world();
    w.capabilities = { ...ALL, locks: false };
    let done = false;
    const wire: Wire = {
      after(call) {
        if (call !== "write" || done) return;
        done = true;
        w.device.write("alice", [setAddress(list, "half", "10.5.5.5")]);
      },
    };
    const outcome = await w.reconcile({ wire });
    expect(outcome.error?.code).toBe(code);
    expect(w.device.pending.map((change) => change.admin)).toEqual(["alice"]);
    expect(addressesOf(w.device.running, list)).not.toHaveProperty("half");
  });
});

describe("planned changes that others made and did not commit", () => {
  const gone = { action: "delete", at: parsePath(`${ADDRESS}/entry[@name='b']`) } as const;

  it("are waited for, and are no fault of the device, also if the rest was committed", async () => {
    const w = world().want(addresses({ a: "10.0.0.1", b: "10.0.0.2" }));
    await w.reconcile();
    w.device.write("alice", [gone]);
    w.want(addresses({ a: "10.0.0.9" }));
    const outcome = await w.reconcile();
    expect(outcome.error).toMatchObject({
      code: "foreign-change",
      severity: "refused",
      message: expect.stringContaining("alice has it pending"),
    });
    expect(addressesOf(w.device.running)).toMatchObject({ a: "10.0.0.9", b: "10.0.0.2" });
    w.device.revert("alice");
    expect((await w.reconcile()).error).toBeUndefined();
    expect(addressesOf(w.device.running)).not.toHaveProperty("b");
  });
});

describe("uncommitted work of Plumbline's account", () => {
  it("without a trace of a run refuses, and is not lost", async () => {
    const w = world();
    w.device.write("netops", [setAddress("/config/shared/address", "manual", "10.3.3.3")]);
    const outcome = await w.reconcile();
    expect(outcome.error).toMatchObject({ code: "own-pending", severity: "refused" });
    expect(w.device.pending).toHaveLength(1);
    expect(w.device.locks).toEqual([]);
  });

  it("refuses also if the device names no node", async () => {
    const w = world();
    w.device.write("netops", [setAddress("/config/shared/address", "manual", "10.3.3.3")]);
    w.device.placeInWords = () => "shared address objects";
    expect((await w.reconcile()).error).toMatchObject({ code: "own-pending", severity: "refused" });
    expect(w.device.pending).toHaveLength(1);
  });

  it("is reverted with --takeover", async () => {
    const w = world();
    w.device.write("netops", [setAddress("/config/shared/address", "manual", "10.3.3.3")]);
    const outcome = await w.reconcile({ write: { takeover: true } });
    expect(outcome.error).toBeUndefined();
    expect(addressesOf(w.device.running, "/config/shared/address")).toEqual({ common: "192.0.2.1" });
  });
});

describe("a device that stores other values than were sent", () => {
  it("ends as not converging, and the same is not sent again without a new commit or an override", async () => {
    const w = world();
    w.device.normalise = (operation) =>
      operation.action === "set" || operation.action === "edit" ? setAddress(ADDRESS, "a", "10.66.66.66") : operation;
    const first = await w.reconcile();
    expect(first.error).toMatchObject({ code: "not-converging", severity: "error", message: expect.stringContaining("@name='a'") });
    const commits = () => w.device.jobs.length;
    const soFar = commits();
    w.emptyState();
    const second = await w.reconcile();
    expect(second.error).toMatchObject({ code: "not-converging" });
    expect(commits()).toBe(soFar);
    w.device.normalise = (operation) => operation;
    const third = await w.reconcile({ pass: { allow: new Map([["not-converging", ""]]) } });
    expect(third.error).toBeUndefined();
    expect((await w.reconcile()).error).toBeUndefined();
  });
});

describe("a device that supports only the specification", () => {
  it("is planned forward, and committed even without visible changes if running is unreadable", async () => {
    const w = world(", blindCommit: true");
    w.capabilities = { ...SPECIFICATION, runningUnreadable: true };
    const first = await w.reconcile();
    expect(first.error).toBeUndefined();
    expect(addressesOf(w.device.running)).toEqual(AFTER);
    const second = await w.reconcile();
    expect(second.error).toBeUndefined();
    expect(second.applied).toMatchObject({ operations: 0, commit: "nothing", proven: true });
  });

  it("is not written once running matches", async () => {
    const w = world();
    w.capabilities = SPECIFICATION;
    expect((await w.reconcile()).error).toBeUndefined();
    expect(addressesOf(w.device.running)).toEqual(AFTER);
    const commits = w.device.jobs.length;
    expect((await w.reconcile()).applied).toMatchObject({ operations: 0, commit: "none", proven: true });
    expect(w.device.jobs).toHaveLength(commits);
  });

  it("is undone by inverse operations if the commit fails", async () => {
    const w = world();
    w.capabilities = SPECIFICATION;
    w.device.failNextCommit = ["no"];
    const outcome = await w.reconcile();
    expect(outcome.error).toMatchObject({ code: "commit-failed" });
    expect(addressesOf(w.device.candidate)).toEqual({ theirs: "192.0.2.9" });
  });
});

describe("a device with a limit of pending changes", () => {
  const many = Object.fromEntries(Array.from({ length: 5 }, (_, i) => [`n${i}`, `10.0.1.${i}`]));

  it("gets several commits, each under a lock", async () => {
    const w = world();
    w.capabilities = { ...ALL, maxPendingChanges: 1, maxBatchOperations: 1 };
    w.want(`${addresses(WANTED)}  tag:\n    red: { color: color1 }\n  service:\n    s1: { protocol: { tcp: { port: "80" } } }\n`);
    const outcome = await w.reconcile();
    expect(outcome.error).toBeUndefined();
    expect(outcome.applied).toMatchObject({ proven: true });
    expect(w.device.jobs.length).toBeGreaterThan(1);
    expect(w.device.locks).toEqual([]);
    expect((await w.plan()).plan?.operations).toEqual([]);
  });

  it("is partly applied if a later commit fails", async () => {
    const w = world();
    w.capabilities = { ...ALL, maxPendingChanges: 1, maxBatchOperations: 1 };
    w.want(`${addresses({ ...WANTED, ...many })}  tag:\n    red: { color: color1 }\n`);
    const wire: Wire = {
      before(call) {
        if (call === "commit" && w.device.jobs.length === 1) w.device.failNextCommit = ["no"];
      },
    };
    const outcome = await w.reconcile({ wire });
    expect(outcome.error).toMatchObject({ code: "partly-applied", severity: "partial" });
    expect(exitCode([outcome])).toBe(4);
    expect(w.device.pending).toEqual([]);
    expect((await w.reconcile()).error).toBeUndefined();
  });
});

describe("a failover during a run", () => {
  it("stops before anything reaches the other device", async () => {
    const w = world();
    const wire: Wire = {
      after(call) {
        if (call === "lock") w.device.serial = "0002";
      },
    };
    const outcome = await w.reconcile({ wire });
    expect(outcome.error).toMatchObject({ code: "failover" });
    expect(w.device.pending).toEqual([]);
  });
});
