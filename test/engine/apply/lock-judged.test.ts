import { describe, expect, it } from "vitest";
import { parsePath } from "../../../src/core/tree/xpath/xpath.js";
import type { WriteLease } from "../../../src/core/write-lease.js";
import { acquireLock, holdsLock, isLeftover, type LockJudge, type LockRequest } from "../../../src/engine/apply/lock.js";
import { formatMark, parseMark } from "../../../src/engine/apply/lock-mark.js";
import { UnchangedSince } from "../../../src/engine/lease/unchanged-since.js";
import type { Machine } from "../../../src/engine/pass/machine.js";
import type { Lock, ReadTarget } from "../../../src/engine/target.js";

const RUN = { started: Date.UTC(2026, 0, 2, 3, 0, 0), host: "a1", pid: 99, random: "old" };
const MINE = { ...RUN, pid: 7, random: "new" };
const lock = (fields: Partial<Lock> = {}): Lock => ({
  kind: "config",
  scope: "vsys1",
  owner: "svc",
  comment: formatMark("netops", RUN, "00"),
  created: undefined,
  ...fields,
});
const lease = (fence: number): WriteLease => ({ fence, mayWrite: () => undefined });

/** A device with these locks whose clock shows `time`, and this machine with a moved clock. */
class World {
  monotonic = 0;
  readonly done: string[] = [];
  readonly machine: Machine = {
    now: () => 0,
    monotonic: () => this.monotonic,
    host: "b2",
    pid: 7,
    who: "ann",
    isAlive: () => true,
    random: () => "x",
  };
  readonly judge: LockJudge;
  locks: Lock[];

  constructor(locks: Lock[], time?: string | Error) {
    this.locks = locks;
    const logs = time === undefined ? undefined : { deviceTime: async () => (time instanceof Error ? Promise.reject(time) : time) };
    const target = { name: "edge", pendingAndLocks: { locks: async () => this.locks }, logs } as unknown as ReadTarget;
    this.judge = { target, machine: this.machine, seen: new UnchangedSince("/dev/null", this.machine), takeoverAfter: 900 };
  }

  request(more: Partial<LockRequest> = {}): LockRequest {
    const locks = {
      lock: async (comment: string, touched: readonly unknown[]) => void this.done.push(`lock ${comment} ${touched.join()}`),
      breakLock: async ({ scope }: Lock) => void this.done.push(`break ${scope}`),
    } as unknown as LockRequest["locks"];
    const touched = [parsePath("/config/vsys/entry[@name='vsys1']/address")];
    const times = { takeover: false, lockTimeout: 0, sleep: async () => undefined };
    return { ...this.judge, ...times, locks, owner: "netops", administrator: "svc", run: MINE, digest: "ff", touched, ...more };
  }

  /** The actions, or the reason for none. */
  async acquire(more: Partial<LockRequest> = {}): Promise<unknown> {
    return await acquireLock(this.request(more)).catch((error: { code: string; message: string }) => `${error.code}: ${error.message}`);
  }
}

describe("a lock that an earlier run left", () => {
  const left = (of: Lock, world: World, judge: Partial<LockJudge> = {}) => isLeftover(of, "netops", "svc", { ...world.judge, ...judge });

  it("expires by the device's clock, not earlier", async () => {
    const stamped = lock({ created: "2026/01/02 03:00:00" });
    expect(await left(stamped, new World([], "2026/01/02 03:15:00"))).toBe(false);
    expect(await left(stamped, new World([], "2026/01/02 03:15:01"))).toBe(true);
  });

  it("is judged by the observed time if the device has no clock or the lock no time", async () => {
    for (const [of, time] of [
      [lock(), "2026/01/02 03:00:00"],
      [lock({ created: "2026/01/02 03:00:00" }), new Error("no right")],
      [lock({ created: "2026/01/02 03:00:00" }), undefined],
    ] as const) {
      const world = new World([], time);
      expect(await left(of, world)).toBe(false);
      world.monotonic = 900_000;
      expect(await left(of, world)).toBe(false);
      world.monotonic = 900_001;
      expect(await left(of, world)).toBe(true);
      expect(await left({ ...of, comment: formatMark("netops", MINE, "00") }, world)).toBe(false);
    }
  });

  it("is expired immediately if its lease passed to this run, or its process is gone from this host", async () => {
    const fenced = lock({ comment: formatMark("netops", RUN, "00", 4) });
    expect([await left(fenced, new World([]), { lease: lease(5) }), await left(fenced, new World([]), { lease: lease(4) })]).toEqual([
      true,
      false,
    ]);
    expect(await left(lock(), new World([]), { lease: lease(5) })).toBe(false);
    expect(await left(fenced, new World([]))).toBe(false);
    const gone = { ...new World([]).machine, host: "a1", isAlive: () => false };
    expect(await left(lock(), new World([]), { machine: gone })).toBe(true);
  });

  it("must belong to this owner and account, whatever else is expired", async () => {
    const over = { machine: { ...new World([]).machine, host: "a1", isAlive: () => false } };
    expect(await left(lock({ owner: "alice" }), new World([]), over)).toBe(false);
    expect(await left(lock({ comment: formatMark("secops", RUN, "00") }), new World([]), over)).toBe(false);
    expect(await left(lock({ comment: "maintenance" }), new World([]), over)).toBe(false);
  });
});

describe("the own lock", () => {
  it("is recognised by the mark of this run on the configuration lock", async () => {
    const holds = (...locks: Lock[]) => holdsLock(new World(locks).judge.target, MINE);
    const mine = lock({ comment: formatMark("netops", MINE, "00") });
    expect(
      await Promise.all([holds(lock(), mine), holds(lock()), holds(lock({ comment: "" })), holds({ ...mine, kind: "commit" }), holds()]),
    ).toEqual([true, false, false, false, false]);
  });
});

describe("locks that block a run", () => {
  const took = `lock ${formatMark("netops", MINE, "ff")} /config/vsys/entry[@name='vsys1']/address`;

  it("are locks of the same part, of everything, or of another run, and no others", async () => {
    const alices = (scope: string): Lock => lock({ owner: "alice", comment: "", scope });
    for (const scope of ["vsys1", "shared", ""])
      expect(await new World([alices(scope)]).acquire()).toBe(`locked-by-other: alice holds the config lock of ${scope}`);
    const world = new World([
      alices("vsys2"),
      lock({ scope: "vsys2", comment: "x" }),
      lock({ scope: "vsys2", owner: "alice" }),
      lock({ scope: "vsys2", comment: formatMark("secops", RUN, "0") }),
    ]);
    expect([await world.acquire(), world.done]).toEqual([false, [took]]);
    expect(await new World([lock({ scope: "vsys2" })]).acquire()).toMatch(
      /^locked-by-run: Another run \(20260102T030000Z-a1-99-old\) is active/,
    );
  });

  it("are reported with known details", async () => {
    const alices = lock({ owner: "alice", comment: "maintenance", created: "2026/01/02 03:00:00" });
    expect(await new World([alices]).acquire()).toBe(
      'locked-by-other: alice holds the config lock of vsys1 since 2026/01/02 03:00:00 ("maintenance")',
    );
    expect(await new World([lock({ comment: "" })]).acquire()).toBe(
      "locked-by-other: The account of this target already holds the config lock of vsys1",
    );
    const error = await acquireLock(new World([alices]).request()).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ where: { target: "edge" }, severity: "refused" });
  });

  it("are never taken over from another administrator, but from this account with --takeover", async () => {
    const alices = new World([lock({ owner: "alice" })]);
    expect([await alices.acquire({ takeover: true }), alices.done]).toEqual([expect.stringContaining("locked-by-other"), []]);
    const ours = new World([lock({ comment: "a person's" }), lock({ scope: "vsys9" })]);
    expect([await ours.acquire({ takeover: true }), ours.done]).toEqual([true, ["break vsys1", "break vsys9", took]]);
  });

  it("block a run if one of two cannot be taken over: then none is broken", async () => {
    const gone = { ...new World([]).machine, host: "a1", isAlive: () => false };
    const world = new World([lock(), lock({ owner: "alice", comment: "", scope: "shared" })]);
    expect([await world.acquire({ machine: gone }), world.done]).toEqual([expect.stringContaining("alice holds"), []]);
  });

  it("note the lease under which the own lock was taken", async () => {
    const world = new World([]);
    await world.acquire({ lease: lease(12) });
    expect(world.done).toEqual([took.replace(" /config", " lease:12 /config")]);
  });
});

describe("the mark of a run under a lease", () => {
  const good = formatMark("netops", RUN, "00ff", 12);

  it("is parsed with it, and without it if there is none", () => {
    expect(parseMark(` ${good} `)).toEqual({ owner: "netops", run: RUN, digest: "00ff", fence: 12 });
    expect(parseMark(formatMark("netops", RUN, "00ff"))?.fence).toBeUndefined();
  });

  it("is invalid if it is not a number, or if there is text around it", () => {
    for (const comment of ["xlease:12", "lease:12x", "lease:x", "lease:", "lease:12 more", `lease:${"1".repeat(16)}`])
      expect(parseMark(good.replace("lease:12", comment))).toBeUndefined();
    expect(parseMark(good.replace("2026", "x2026"))).toBeUndefined();
    expect(parseMark(good.replace("-old ", "-old! "))).toBeUndefined();
    expect(parseMark("plumbline/1 netops")).toBeUndefined();
  });
});
