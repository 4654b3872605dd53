import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { PlumblineError } from "../../../src/core/errors.js";
import { formatRun } from "../../../src/engine/apply/lock-mark.js";
import { LeasePlace } from "../../../src/engine/lease/lease-place.js";
import { RunLease, type RunLeaseOptions } from "../../../src/engine/lease/run-lease.js";
import { UnchangedSince } from "../../../src/engine/lease/unchanged-since.js";
import { VersionConflict } from "../../../src/engine/ledger/store.js";
import type { Machine } from "../../../src/engine/pass/machine.js";
import { MemoryStore } from "../ledger/memory-store.js";

/** Milliseconds: of a lease, and after which it may be taken over. */
const LENGTH = 900_000;
const FREE = LENGTH + 60_000;

let store: MemoryStore;
beforeEach(() => {
  store = new MemoryStore();
});

/** One run on one machine whose clocks only move when the test moves them. */
class Runner {
  monotonic = 0;
  wall = 0;
  alive = true;
  readonly slept: number[] = [];
  readonly folder = mkdtempSync(join(tmpdir(), "renewal-"));
  readonly machine: Machine;
  readonly lease: RunLease;
  readonly run: RunLeaseOptions["run"];

  constructor(host: string, options: Partial<RunLeaseOptions> = {}) {
    this.machine = {
      now: () => this.wall,
      monotonic: () => this.monotonic,
      host,
      pid: 7,
      who: `ann@${host}`,
      isAlive: () => this.alive,
      random: () => "beef",
    };
    this.run = { started: 0, host, pid: 7, random: host };
    this.lease = new RunLease({
      place: new LeasePlace(store, "netops"),
      seen: new UnchangedSince(this.folder, this.machine),
      target: "edge",
      run: this.run,
      machine: this.machine,
      takeoverAfter: LENGTH / 1000,
      request: FREE - LENGTH,
      takeover: false,
      lockTimeout: 0,
      sleep: async (milliseconds) => {
        this.slept.push(milliseconds);
        this.pass(milliseconds);
      },
      ...options,
    });
  }

  pass(milliseconds: number): void {
    this.monotonic += milliseconds;
    this.wall += milliseconds;
  }
}

const standing = async () => (await new LeasePlace(store, "netops").look("edge"))?.lease;
const codeOf = (error: unknown): unknown => (error instanceof PlumblineError ? error.code : error);
const code = (act: () => unknown): unknown => {
  try {
    act();
    return undefined;
  } catch (error) {
    return codeOf(error);
  }
};

describe("the lease of a run", () => {
  it("contains holder and length, and counts each change of holder", async () => {
    store.now = 77;
    const [a, b] = [new Runner("a"), new Runner("b")];
    expect([a.lease.isHeld, a.lease.fence]).toEqual([false, 0]);
    expect(await a.lease.take()).toBeUndefined();
    expect(await standing()).toEqual({ run: formatRun(a.run), who: "ann@a", counter: 1, beat: 1, held: true, freeAfter: FREE, at: 77 });
    expect([a.lease.isHeld, a.lease.fence]).toEqual([true, 1]);
    await a.lease.give();
    expect([(await standing())?.held, a.lease.isHeld]).toEqual([false, false]);
    await b.lease.take();
    expect([b.lease.fence, await standing()]).toMatchObject([2, { counter: 2, beat: 2, run: formatRun(b.run) }]);
  });

  it("is renewed after a third of it, not earlier, by either clock", async () => {
    const a = new Runner("a");
    await a.lease.take();
    a.pass(LENGTH / 3);
    await a.lease.keep();
    expect((await standing())?.beat).toBe(1);
    a.pass(1);
    await a.lease.keep();
    expect((await standing())?.beat).toBe(2);
    a.wall += LENGTH / 3 + 1;
    await a.lease.keep();
    expect(await standing()).toMatchObject({ beat: 3, counter: 1, held: true });
    a.monotonic += LENGTH / 3 + 1;
    a.lease.mayWrite();
    await a.lease.give();
    expect(await standing()).toMatchObject({ beat: 4, held: false });
  });

  it("allows writes until a tenth is left, counted from before the request", async () => {
    const a = new Runner("a");
    const write = store.write.bind(store);
    store.write = async (...words) => {
      a.pass(1000);
      return await write(...words);
    };
    await a.lease.take();
    store.write = () => Promise.reject(new Error("away"));
    a.monotonic = LENGTH * 0.9 - 1;
    await a.lease.keep();
    expect([code(() => a.lease.mayWrite()), a.lease.lost]).toEqual([undefined, undefined]);
    a.monotonic = LENGTH * 0.9;
    expect([code(() => a.lease.mayWrite()), codeOf(a.lease.lost)]).toEqual(["lease-lost", "lease-lost"]);
    a.monotonic = 0;
    expect(code(() => a.lease.mayWrite())).toBe("lease-lost");
    await expect(a.lease.keep()).rejects.toMatchObject({ code: "lease-lost" });
  });

  it("allows no write before it is taken and after it is released", async () => {
    const a = new Runner("a");
    expect(code(() => a.lease.mayWrite())).toEqual(new Error("a write without the lease of its target"));
    await a.lease.keep();
    await a.lease.give();
    expect(await standing()).toBeUndefined();
    await a.lease.take();
    await a.lease.give();
    expect(code(() => a.lease.mayWrite())).toEqual(new Error("a write without the lease of its target"));
  });

  it("is lost when a renewal finds another holder, and is not released then", async () => {
    const [a, b] = [new Runner("a"), new Runner("b", { takeover: true })];
    await a.lease.take();
    expect(await b.lease.take()).toMatchObject({ over: "told", from: { run: formatRun(a.run) } });
    a.pass(LENGTH / 3 + 1);
    await expect(a.lease.keep()).rejects.toMatchObject({ code: "lease-lost" });
    await a.lease.give();
    expect(await standing()).toMatchObject({ run: formatRun(b.run), held: true });
  });

  it("is read again before a request that writes, at most every ten seconds by either clock, and not renewed for that", async () => {
    const a = new Runner("a");
    await a.lease.take();
    let reads = 0;
    const read = store.read.bind(store);
    store.read = async (...words) => {
      reads += 1;
      return await read(...words);
    };
    a.pass(10_000);
    await a.lease.verify();
    expect(reads).toBe(0);
    a.pass(1);
    await Promise.all([a.lease.verify(), a.lease.verify(), a.lease.keep()]);
    await a.lease.verify();
    expect(reads).toBe(1);
    a.wall += 10_001;
    await a.lease.keep();
    a.monotonic += 10_001;
    await a.lease.keep();
    expect([reads, (await standing())?.beat]).toEqual([3, 1]);
  });

  it("is lost when it is read and belongs to another run, or to a version with a later format", async () => {
    const [a, b] = [new Runner("a"), new Runner("b", { takeover: true })];
    await a.lease.take();
    await b.lease.take();
    expect(code(() => a.lease.mayWrite())).toBeUndefined();
    a.pass(10_001);
    await expect(a.lease.verify()).rejects.toMatchObject({ code: "lease-lost" });
    expect(code(() => a.lease.mayWrite())).toBe("lease-lost");
    store.texts.set("netops :lease:edge", { text: '{"format":9}', version: "9" });
    b.pass(10_001);
    await expect(b.lease.keep()).rejects.toMatchObject({ code: "lease-lost" });
  });

  it("stays while its place cannot be read, and is then read again after ten seconds", async () => {
    const a = new Runner("a");
    await a.lease.take();
    store.error = new Error("away");
    a.pass(10_001);
    await a.lease.verify();
    expect(code(() => a.lease.mayWrite())).toBeUndefined();
    store.error = undefined;
    await new Runner("b", { takeover: true }).lease.take();
    await a.lease.verify();
    a.pass(10_001);
    await expect(a.lease.verify()).rejects.toMatchObject({ code: "lease-lost" });
  });

  it("is still held after a renewal whose reply was lost", async () => {
    const a = new Runner("a");
    await a.lease.take();
    const write = store.write.bind(store);
    store.write = async (...words) => {
      await write(...words);
      throw new Error("the reply was lost");
    };
    a.pass(LENGTH / 3 + 1);
    await a.lease.keep();
    store.write = write;
    a.pass(10_001);
    await a.lease.keep();
    expect(a.lease.lost).toBeUndefined();
    await a.lease.give();
    expect((await standing())?.held).toBe(false);
  });

  it("is renewed once for parallel requests", async () => {
    const a = new Runner("a");
    await a.lease.take();
    a.pass(LENGTH / 3 + 1);
    a.lease.mayWrite();
    await Promise.all([a.lease.keep(), a.lease.keep()]);
    expect((await standing())?.beat).toBe(2);
    a.pass(LENGTH / 3 + 1);
    await a.lease.keep();
    expect((await standing())?.beat).toBe(3);
  });
});

describe("the lease of another run", () => {
  it("refuses with its name and the time of a possible takeover", async () => {
    const [a, b] = [new Runner("a"), new Runner("b")];
    await a.lease.take();
    const error = await b.lease.take().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: "locked-by-run",
      severity: "refused",
      where: { target: "edge" },
      message: `Another run (${formatRun(a.run)} of ann@a) is active`,
      next: expect.stringContaining("unchanged for 960 s"),
    });
    expect(b.slept).toEqual([]);
  });

  it("is waited for as long as requested, and taken when released", async () => {
    const [a, b] = [new Runner("a"), new Runner("b", { lockTimeout: 5 })];
    await a.lease.take();
    await expect(b.lease.take()).rejects.toMatchObject({ code: "locked-by-run" });
    expect(b.slept).toEqual([2000, 2000, 2000]);
    const sleep = (): Promise<void> => a.lease.give();
    const c = new Runner("c", { lockTimeout: 5, sleep });
    expect(await c.lease.take()).toBeUndefined();
    expect(c.lease.isHeld).toBe(true);
  });

  it("is taken over if its process is gone from this host", async () => {
    const a = new Runner("a");
    await a.lease.take();
    const next = new Runner("a", { run: { ...a.run, random: "later" } });
    next.alive = false;
    expect(await next.lease.take()).toMatchObject({ over: "dead" });
  });

  it("is taken over after it was unchanged for its length by the local clock, not earlier", async () => {
    const [a, b] = [new Runner("a"), new Runner("b")];
    await a.lease.take();
    await expect(b.lease.take()).rejects.toMatchObject({ code: "locked-by-run" });
    b.pass(FREE - 1);
    await expect(b.lease.take()).rejects.toMatchObject({ code: "locked-by-run" });
    b.pass(1);
    expect(await b.lease.take()).toMatchObject({ over: "unchanged" });
  });

  it("is judged by the clock of its place if that has one", async () => {
    store.now = 10 * FREE;
    const [a, b] = [new Runner("a"), new Runner("b")];
    await a.lease.take();
    await expect(b.lease.take()).rejects.toMatchObject({ code: "locked-by-run" });
    b.pass(10 * FREE);
    await expect(b.lease.take()).rejects.toMatchObject({ code: "locked-by-run" });
    store.now = 11 * FREE - 1;
    await expect(b.lease.take()).rejects.toMatchObject({ code: "locked-by-run" });
    store.now = 11 * FREE;
    expect(await b.lease.take()).toMatchObject({ over: "unchanged" });
  });

  it("is judged by the local clock if it was written without one, or the place has none any longer", async () => {
    const [a, b] = [new Runner("a"), new Runner("b")];
    await a.lease.take();
    store.now = 10 * FREE;
    await expect(b.lease.take()).rejects.toMatchObject({ code: "locked-by-run" });
    b.pass(FREE);
    expect(await b.lease.take()).toMatchObject({ over: "unchanged" });
    store.now = undefined;
    await expect(a.lease.take()).rejects.toMatchObject({ code: "locked-by-run" });
    a.pass(FREE);
    expect(await a.lease.take()).toMatchObject({ over: "unchanged" });
  });

  it("that is the own one after a lost reply is taken again", async () => {
    const a = new Runner("a");
    const write = store.write.bind(store);
    store.write = async (...words) => {
      await write(...words);
      store.write = write;
      throw new VersionConflict("lost");
    };
    expect(await a.lease.take()).toBeUndefined();
    expect(await standing()).toMatchObject({ run: formatRun(a.run), counter: 2, held: true });
  });
});

describe("the place of leases", () => {
  const place = () => new LeasePlace(store, "netops");

  it("is reported if unreadable, of a later version, or not writable", async () => {
    store.texts.set("netops :lease:edge", { text: "torn", version: "1" });
    await expect(place().look("edge")).rejects.toMatchObject({ code: "ledger-unreadable", severity: "refused", where: { target: "edge" } });
    await expect(place().everyones("edge")).rejects.toMatchObject({ code: "ledger-unreadable" });
    store.texts.set("netops :lease:edge", { text: '{"format":9}', version: "1" });
    await expect(place().look("edge")).rejects.toMatchObject({
      code: "ledger-newer",
      message: expect.stringContaining("memory netops :lease:edge"),
    });
    const own = new PlumblineError("store-full", "full");
    store.error = own;
    await expect(place().look("edge")).rejects.toBe(own);
    store.write = () => Promise.reject(own);
    const lease = { run: "r", who: undefined, counter: 1, beat: 1, held: true, freeAfter: 1, at: undefined };
    await expect(place().swap("edge", lease, undefined)).rejects.toBe(own);
    store.write = () => Promise.reject(new Error("read-only"));
    await expect(place().swap("edge", lease, undefined)).rejects.toMatchObject({
      code: "ledger-unwritable",
      where: { target: "edge" },
      message: "The lease of the target cannot be written: memory netops :lease:edge: read-only",
    });
  });

  it("contains those of every owner of one target", async () => {
    await new Runner("a").lease.take();
    const other = new Runner("b", { place: new LeasePlace(store, "secops") });
    await other.lease.take();
    await new Runner("c", { target: "core" }).lease.take();
    const all = await place().everyones("edge");
    expect([...all].map(([owner, { lease, version }]) => `${owner} ${lease.who} ${version}`)).toEqual(["netops ann@a 1", "secops ann@b 1"]);
  });
});

describe("the first observation", () => {
  const seen = (runner: Runner) => new UnchangedSince(runner.folder, runner.machine);

  it("counts from the first read of this version, also by another run of the machine", async () => {
    const a = new Runner("a");
    expect(await seen(a).for("x", "1")).toBe(0);
    a.pass(10);
    expect([await seen(a).for("x", "1"), await seen(a).for("y", "1")]).toEqual([10, 0]);
    expect(await seen(a).for("x", "2")).toBe(0);
    a.pass(5);
    expect(await seen(a).for("x", "2")).toBe(5);
  });

  it("is forgotten on another host, and after a restart of the machine", async () => {
    const a = new Runner("a");
    a.pass(100);
    await seen(a).for("x", "1");
    const elsewhere = new UnchangedSince(a.folder, { ...a.machine, host: "b", monotonic: () => 500 });
    expect(await elsewhere.for("x", "1")).toBe(0);
    const b = new Runner("b");
    b.pass(100);
    await seen(b).for("x", "1");
    b.monotonic = 99;
    expect(await seen(b).for("x", "1")).toBe(0);
    b.monotonic = 199;
    expect(await seen(b).for("x", "1")).toBe(100);
  });

  it("is remembered by one run if the folder is not writable, and a damaged file is ignored", async () => {
    const a = new Runner("a");
    const file = join(a.folder, "file");
    writeFileSync(file, "");
    const inVain = new UnchangedSince(file, a.machine);
    expect(await inVain.for("x", "1")).toBe(0);
    a.pass(3);
    expect(await inVain.for("x", "1")).toBe(3);
    mkdirSync(join(a.folder, "seen-leases"), { recursive: true });
    for (const text of ["", "{}", '{"version":"1","host":"a"}', '{"version":"1","host":"a","since":"0"}', '{"version":"1","since":0}']) {
      writeFileSync(join(a.folder, "seen-leases", "z.json"), text);
      expect(await seen(a).for("z", "1")).toBe(0);
    }
    writeFileSync(join(a.folder, "seen-leases", "z.json"), '{"version":"1","host":"a","since":1}');
    expect(await seen(a).for("z", "1")).toBe(2);
  });
});
