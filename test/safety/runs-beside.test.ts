import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { decodeRecord, encodeRecord } from "../../src/engine/ledger/codec.js";
import type { LedgerRecord } from "../../src/engine/ledger/ledger.js";
import type { WriteTarget } from "../../src/engine/write-target.js";
import type { TargetOutcome } from "../../src/outcome/outcome.js";
import { ADDRESS, addresses, addressesOf, BARE } from "../engine/apply/scenes.js";
import { World } from "../engine/apply/world.js";

/** A run without changes, concurrent with a run of the same owner: objects that the other run created are never forgotten. */

const FORMER = { a: "10.0.0.1" };
const NEWER = { a: "10.0.0.1", b: "10.0.0.2" };
const theirs = { theirs: "192.0.2.9" };
const at = (name: string): string => `${ADDRESS}/entry[@name='${name}']`;
const isAlive = { machine: { isAlive: () => true } };

interface Bundle {
  readonly ledgers: Record<string, Record<string, string>>;
}

function bundleOf(world: World): Bundle {
  return JSON.parse(readFileSync(join(world.folder, "ledger.json"), "utf8")) as Bundle;
}

const recordIn = (world: World): LedgerRecord => decodeRecord(bundleOf(world).ledgers["netops-edge"]?.edge ?? "");

function writeRecord(world: World, record: LedgerRecord): void {
  const bundle = bundleOf(world);
  const ledgers = { ...bundle.ledgers, "netops-edge": { edge: encodeRecord(record) } };
  writeFileSync(join(world.folder, "ledger.json"), JSON.stringify({ ...bundle, ledgers }));
}

async function started(): Promise<World> {
  const world = new World(BARE).want(addresses(FORMER));
  expect((await world.reconcile()).error).toBeUndefined();
  return world.want(addresses(NEWER));
}

/** Does `work` once, before that step of a run. */
function onceBefore(step: string, work: () => Promise<void>) {
  let isDone = false;
  const observer = {
    before: async (name: string) => {
      if (name !== step || isDone) return;
      isDone = true;
      await work();
    },
    after: () => undefined,
  };
  return { observer };
}

/** Objects of the newer commit are owned. They are deleted when they leave the files. */
async function expectToGo(world: World): Promise<void> {
  expect((await world.want(addresses(FORMER)).reconcile()).error).toBeUndefined();
  expect(addressesOf(world.device.running)).toEqual({ ...FORMER, ...theirs });
  expect(recordIn(world)).toMatchObject({ paths: [at("a")], announced: undefined });
}

describe("a run that has deleted an object that the next commit declares again", () => {
  it("drops no row of the newer run before it records the deletion", async () => {
    const world = await started();
    expect((await world.reconcile()).error).toBeUndefined();
    const beside: TargetOutcome[] = [];
    const again = async () => void beside.push(await world.want(addresses(NEWER)).reconcile(isAlive));
    expect((await world.want(addresses(FORMER)).reconcile(onceBefore("ledger-after", again))).error).toBeUndefined();
    expect(beside.map(({ error }) => error)).toEqual([undefined]);
    expect(addressesOf(world.device.running)).toEqual({ ...NEWER, ...theirs });
    await expectToGo(world);
  });
});

describe("a run of the former commit while one of the newer is active", () => {
  it.each(["write", "commit", "ledger-after"])("writes no ledger over the newer announcement, before its %s", async (step) => {
    const world = await started();
    const beside: TargetOutcome[] = [];
    const run = await world.reconcile(
      onceBefore(step, async () => {
        const ledger = recordIn(world);
        beside.push(await world.want(addresses(FORMER)).reconcile(isAlive));
        if (step === "write") {
          expect(beside.map(({ error, applied }) => [error, applied?.operations])).toEqual([[undefined, 0]]);
          expect(recordIn(world)).toEqual(ledger);
        }
      }),
    );
    expect(beside).toHaveLength(1);
    expect([run.error, run.applied?.proven]).toEqual([undefined, true]);
    await expectToGo(world);
  });

  it("drops nothing if the newer one dies after its commit", async () => {
    const world = await started();
    const beside = onceBefore("write", async () => {
      await world.want(addresses(FORMER)).reconcile(isAlive);
    });
    const dies = onceBefore("ledger-after", () => Promise.reject(new Error("killed")));
    const observer = {
      before: async (name: string) => {
        await beside.observer.before(name);
        await dies.observer.before(name);
      },
      after: () => undefined,
    };
    await world.reconcile({ observer });
    expect(addressesOf(world.device.running)).toMatchObject(NEWER);
    await expectToGo(world);
  });

  it("writes nothing from a plan made before the newer one ended, although it reads the ledger again", async () => {
    const world = await started();
    writeRecord(world, { ...recordIn(world), snapshots: { "plumbline-before-0123456789ab": "20260101T000000Z-gone-1-r0" } });
    world.want(addresses(FORMER));
    let isDone = false;
    const wrap = (target: WriteTarget): WriteTarget => {
      const read: WriteTarget["read"] = async (...request) => {
        const tree = await target.read(...request);
        if (!isDone) {
          isDone = true;
          expect((await world.want(addresses(NEWER)).reconcile()).error).toBeUndefined();
          writeRecord(world, { ...recordIn(world), snapshots: { "plumbline-before-0123456789ab": "20260101T000000Z-gone-1-r0" } });
        }
        return tree;
      };
      return new Proxy(target, {
        get: (whole, name) => {
          const value: unknown = name === "read" ? read : Reflect.get(whole, name, whole);
          return typeof value === "function" && name !== "read" ? value.bind(whole) : value;
        },
      });
    };
    expect((await world.reconcile({ wrap })).applied?.operations).toBe(0);
    expect(isDone).toBe(true);
    expect(recordIn(world).paths).toContain(at("b"));
    await expectToGo(world);
  });
});

describe("the record of a finished commit", () => {
  it("is written next to parallel records, and nothing of either is lost", async () => {
    const world = await started();
    const run = await world.reconcile(
      onceBefore("ledger-after", async () => {
        const { announced: _, ...record } = recordIn(world);
        const paths = [at("a"), at("other")];
        const rows = { [at("a")]: { came: "adopted" as const }, [at("other")]: { came: "adopted" as const } };
        writeRecord(world, { ...record, paths, rows, adopted: [ADDRESS], deletes: { day: "2026-01-02", count: 3 } });
      }),
    );
    expect(run.error).toBeUndefined();
    expect(recordIn(world)).toMatchObject({
      paths: [at("a"), at("b"), at("other")],
      rows: { [at("a")]: { came: "adopted" }, [at("b")]: { came: "made" }, [at("other")]: { came: "adopted" } },
      adopted: [ADDRESS],
      deletes: { day: "2026-01-02", count: 3 },
    });
  });

  it("is refused before the first write, while nothing is changed yet", async () => {
    const world = await started();
    const run = await world.reconcile(
      onceBefore("ledger-before", async () => writeRecord(world, { ...recordIn(world), deletes: { day: "2026-01-02", count: 3 } })),
    );
    expect(run.error?.code).toBe("ledger-conflict");
    expect(addressesOf(world.device.running)).toEqual({ ...FORMER, ...theirs });
  });
});

describe("rows that a run announced and never created", () => {
  it("are settled under the lock by the next run, also one without changes", async () => {
    const world = await started();
    const dies = { before: (name: string) => (name === "write" ? Promise.reject(new Error("killed")) : undefined), after: () => undefined };
    await world.reconcile({ observer: dies });
    expect(recordIn(world).announced).toEqual([at("b")]);
    const steps: string[] = [];
    const observer = { before: (name: string) => void steps.push(name), after: () => undefined };
    expect((await world.want(addresses(FORMER)).reconcile({ observer })).error).toBeUndefined();
    expect(steps).toContain("lock");
    expect(recordIn(world)).toMatchObject({ paths: [at("a")], announced: undefined });
  });

  it("are kept by an adopt, which has no lock", async () => {
    const world = await started();
    await world.reconcile(
      onceBefore("commit", async () => {
        await world.want(addresses(FORMER)).adopt();
        expect(recordIn(world)).toMatchObject({ paths: [at("a"), at("b")], announced: [at("b")] });
      }),
    );
    await expectToGo(world);
  });
});
