import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PlumblineError } from "../../../src/core/errors.js";
import { LeasePlace } from "../../../src/engine/lease/lease-place.js";
import { RunLease, type RunLeaseOptions } from "../../../src/engine/lease/run-lease.js";
import { UnchangedSince } from "../../../src/engine/lease/unchanged-since.js";
import type { LedgerStore } from "../../../src/engine/ledger/store.js";
import { afterTest } from "../../after-test.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Seconds, and milliseconds of one request. */
const TIMES = { takeoverAfter: 900, request: MINUTE };
const OVER = 16 * MINUTE;

/** An empty folder for this test. */
export function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "run-lease-"));
  afterTest(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** Gives stores that share one place, as two machines have them. */
export type Place = () => Promise<() => Promise<LedgerStore> | LedgerStore>;

/** One process on one machine. Its clocks may differ from all others. */
export class Runner {
  monotonic: number;
  wall: number;
  slept = 0;
  readonly #host: string;
  readonly #store: LedgerStore;
  readonly #folder = folder();
  readonly #alive: ReadonlySet<number>;

  constructor(
    store: LedgerStore,
    host: string,
    start: { readonly monotonic: number; readonly wall: number },
    alive = new Set<number>([7]),
  ) {
    this.#store = store;
    this.#host = host;
    this.#alive = alive;
    this.monotonic = start.monotonic;
    this.wall = start.wall;
  }

  later(milliseconds: number): this {
    this.monotonic += milliseconds;
    this.wall += milliseconds;
    return this;
  }

  /** A new run of this machine; all of them remember in one state folder. */
  run(more: Partial<RunLeaseOptions> = {}, pid = 7): RunLease {
    const machine = {
      host: this.#host,
      pid,
      who: `ann@${this.#host}`,
      now: () => this.wall,
      monotonic: () => this.monotonic,
      isAlive: (other: number) => this.#alive.has(other),
      random: () => "ff",
    };
    return new RunLease({
      place: new LeasePlace(this.#store, "netops"),
      seen: new UnchangedSince(this.#folder, machine),
      target: "cloud",
      run: { started: this.wall - (this.wall % 1000), host: this.#host, pid, random: "ff" },
      machine,
      ...TIMES,
      takeover: false,
      lockTimeout: 0,
      sleep: async (milliseconds) => {
        this.slept += milliseconds;
        this.later(milliseconds);
      },
      ...more,
    });
  }
}

export const A = { monotonic: 5_000_000, wall: Date.UTC(2026, 0, 2, 3) };
/** Its clock is an hour ahead, and it has been up for longer. */
const B = { monotonic: 90_000_000, wall: Date.UTC(2026, 0, 2, 4) };
const busy = { code: "locked-by-run", severity: "refused", message: expect.stringContaining("of ann@a1) is active") };

/** Properties of leases in every store. `hasClock`: the store has its own clock. */
export function leaseCases(open: Place, hasClock = false): void {
  async function two() {
    const place = await open();
    const [first, second] = [await place(), await place()];
    return { a: new Runner(first, "a1", A), b: new Runner(second, "b2", B), stores: [first, second], third: place };
  }

  it("that could not be released blocks no run of the same machine or process", async () => {
    const { a, b, stores } = await two();
    const one = a.run();
    await one.take();
    const store = stores[0];
    if (store === undefined) throw new Error("no store");
    const write = store.write.bind(store);
    store.write = async () => {
      throw new PlumblineError("ledger-unwritable", "away", { next: "Run again." });
    };
    await expect(one.give()).rejects.toMatchObject({ code: "ledger-unwritable" });
    store.write = write;
    await expect(b.run().take()).rejects.toMatchObject(busy);
    expect(await a.later(MINUTE).run().take()).toMatchObject({ over: "dead" });
  });

  it("belongs to one run at a time, and each holder has a higher counter", async () => {
    const { a, b } = await two();
    const [one, other] = [a.run(), b.run()];
    await one.take();
    expect(one.fence).toBe(1);
    await expect(other.take()).rejects.toMatchObject(busy);
    expect(() => one.mayWrite()).not.toThrow();
    expect(() => other.mayWrite()).toThrow("without the lease");
    await one.give();
    expect(await other.take()).toBeUndefined();
    expect(other.fence).toBe(2);
    await expect(a.run().take()).rejects.toMatchObject({ code: "locked-by-run" });
  });

  it("goes to one of many parallel requests", async () => {
    const place = await open();
    const runs = await Promise.all([1, 2, 3, 4].map(async (n) => new Runner(await place(), `a${n}`, A).run()));
    const ends = await Promise.allSettled(runs.map((run) => run.take()));
    expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(runs.filter((run) => run.isHeld)).toHaveLength(1);
  });

  it("is not taken over by a clock that is an hour ahead, after any number of reads", async () => {
    const { a, b } = await two();
    await a.run().take();
    for (let look = 0; look < 3; look++) {
      b.wall += HOUR;
      await expect(b.run().take()).rejects.toMatchObject(busy);
    }
  });

  if (hasClock) {
    it("is taken over when it has expired by the clock of the database", async () => {
      const { a, b } = await two();
      await a.run({ takeoverAfter: 0, request: 50 }).take();
      const taken = await b.run({ lockTimeout: 3600, sleep: () => new Promise((done) => void setTimeout(done, 10)) }).take();
      expect(taken).toMatchObject({ over: "unchanged" });
    });
  } else {
    it("is taken over after it was seen unchanged for its length, also by several short runs of one machine", async () => {
      const { a, b } = await two();
      await a.run().take();
      await expect(b.run().take()).rejects.toMatchObject(busy);
      await expect(
        b
          .later(OVER - 1)
          .run()
          .take(),
      ).rejects.toMatchObject(busy);
      const next = b.later(1).run();
      expect(await next.take()).toMatchObject({ over: "unchanged", from: { who: "ann@a1" } });
      expect(next.fence).toBe(2);
    });

    it("is waited for that long by a waiting run", async () => {
      const { a, b } = await two();
      await a.run().take();
      expect(await b.run({ lockTimeout: 3600 }).take()).toMatchObject({ over: "unchanged" });
      expect(b.slept).toBe(OVER);
    });
  }

  it("is kept by renewals", async () => {
    const { a, b } = await two();
    const one = a.run();
    await one.take();
    for (let count = 0; count < 10; count++) {
      await expect(
        b
          .later(6 * MINUTE)
          .run()
          .take(),
      ).rejects.toMatchObject(busy);
      a.later(6 * MINUTE);
      await one.keep();
      expect(() => one.mayWrite()).not.toThrow();
    }
    expect(one.fence).toBe(1);
  });

  it("without renewal ends for its holder before another may take it", async () => {
    const { a } = await two();
    const one = a.run();
    await one.take();
    a.later(14 * MINUTE);
    expect(() => one.mayWrite()).toThrow("no longer holds the lease");
    expect(one.lost).toMatchObject({ code: "lease-lost" });
  });

  it("is taken from a run whose process has ended from this host", async () => {
    const { a } = await two();
    await a.run({}, 8).take();
    expect(await a.run().take()).toMatchObject({ over: "dead" });
  });

  it("is broken by --takeover, and the former holder writes no more and releases nothing", async () => {
    const { a, b } = await two();
    const [one, other] = [a.run(), b.run({ takeover: true })];
    await one.take();
    expect(await other.take()).toMatchObject({ over: "told", from: { counter: 1 } });
    a.later(6 * MINUTE);
    await expect(one.keep()).rejects.toMatchObject({ code: "lease-lost" });
    expect(() => one.mayWrite()).toThrow();
    await one.give();
    await expect(a.run().take()).rejects.toMatchObject({ code: "locked-by-run", message: expect.stringContaining("ann@b2") });
    expect(other.fence).toBe(2);
  });

  it("is not lost during its length if its place is unreachable", async () => {
    const { a, stores } = await two();
    const one = a.run();
    await one.take();
    const write = stores[0]?.write;
    Object.assign(stores[0] ?? {}, { write: () => Promise.reject(new Error("away")) });
    a.later(6 * MINUTE);
    await one.keep();
    expect(() => one.mayWrite()).not.toThrow();
    Object.assign(stores[0] ?? {}, { write });
    await one.keep();
    a.later(10 * MINUTE);
    await one.keep();
    expect(() => one.mayWrite()).not.toThrow();
  });

  it("of a later format is neither treated as free nor overwritten", async () => {
    const { a, stores, third } = await two();
    await a.run().take();
    const key = { owner: "netops", target: ":lease:cloud" };
    const found = await stores[0]?.read(key);
    await (await third()).write(key, JSON.stringify({ format: 9 }), found?.version);
    const late = new Runner(await third(), "b2", B);
    await expect(late.run({ takeover: true }).take()).rejects.toMatchObject({ code: "ledger-newer" });
  });
}
