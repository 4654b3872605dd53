import { describe, expect, it } from "vitest";
import { PlumblineError } from "../../../src/core/errors.js";
import { encodeRecord } from "../../../src/engine/ledger/codec.js";
import type { LedgerRecord } from "../../../src/engine/ledger/ledger.js";
import { StoredLedger } from "../../../src/engine/ledger/stored-ledger.js";
import { MemoryStore } from "./memory-store.js";

const RECORD: LedgerRecord = { owner: "o", target: "t", commit: undefined, paths: ["/a"], adopted: [], secrets: {} };

class World {
  readonly store = new MemoryStore();
  readonly ledger = new StoredLedger(this.store);

  leave(record: LedgerRecord, text = encodeRecord(record)): void {
    this.store.texts.set("o t", { text, version: "1" });
  }
}

describe("a ledger of a later version", () => {
  it("is unreadable, and not overwritten until it can be read", async () => {
    const world = new World();
    world.leave(RECORD, encodeRecord(RECORD).replace('"format": 2', '"format": 3'));
    expect(await world.ledger.read("o", "t")).toEqual({
      state: "unreadable",
      reason: "memory o t: format 3 is not known to this version",
      isNewer: true,
    });
    await expect(world.ledger.write(RECORD)).rejects.toMatchObject({
      code: "ledger-newer",
      severity: "refused",
      where: { target: "t" },
      message: expect.stringContaining("memory o t: format 3"),
    });
    world.leave(RECORD);
    expect((await world.ledger.read("o", "t")).state).toBe("present");
    await world.ledger.write(RECORD);
  });

  it("differs from a damaged one, which is rewritten", async () => {
    const world = new World();
    world.leave(RECORD, "torn");
    const state = await world.ledger.read("o", "t");
    expect([state.state, "isNewer" in state]).toEqual(["unreadable", false]);
    await world.ledger.write(RECORD);
  });
});

describe("a ledger in a wrong place", () => {
  it("is refused: of another owner or another target", async () => {
    for (const other of [
      { ...RECORD, owner: "p" },
      { ...RECORD, target: "u" },
    ]) {
      const world = new World();
      world.leave(other);
      expect(await world.ledger.read("o", "t")).toMatchObject({
        state: "unreadable",
        reason: "memory o t belongs to another owner or target",
      });
    }
  });
});

describe("a ledger that cannot be written", () => {
  const failing = async (error: unknown): Promise<unknown> => {
    const world = new World();
    world.store.write = () => Promise.reject(error);
    return await world.ledger.write(RECORD).catch((thrown: unknown) => thrown);
  };

  it("is reported with place, cause and next step", async () => {
    const error = (await failing(new Error("read-only"))) as PlumblineError;
    expect(error).toMatchObject({ code: "ledger-unwritable", message: "memory o t cannot be written: read-only", where: { target: "t" } });
    expect(error.next).toContain("--ledger");
  });

  it("has the store's own error, and a parallel write by another run", async () => {
    const own = new PlumblineError("store-full", "full");
    expect(await failing(own)).toBe(own);
    const world = new World();
    world.leave(RECORD);
    const conflict = await world.ledger.write(RECORD).catch((thrown: unknown) => thrown);
    expect(conflict).toMatchObject({ code: "ledger-conflict", where: { target: "t" }, next: expect.stringContaining("Run again") });
  });
});

it("ledgers of other owners count, and one that disappears in the meantime does not", async () => {
  const world = new World();
  world.leave(RECORD);
  world.store.texts.set("me t", { text: encodeRecord({ ...RECORD, owner: "me", paths: ["/mine"] }), version: "1" });
  world.store.owners = async () => ["me", "o", "gone"];
  expect(await world.ledger.foreign("me", "t")).toEqual(new Map([["/a", "o"]]));
});

it("a combined ledger is marked as such, and versions of two targets are separate", async () => {
  const world = new World();
  world.store.texts.set("o t", { text: encodeRecord(RECORD), version: "1", isUnwritten: true });
  expect(await world.ledger.read("o", "t")).toMatchObject({ state: "present", isUnwritten: true });
  await world.ledger.write({ ...RECORD, target: "u" });
  await world.ledger.write(RECORD);
  await world.ledger.write({ ...RECORD, target: "u" });
  expect([...world.store.texts].map(([key, { version }]) => `${key} ${version}`)).toEqual(["o t 2", "o u 2"]);
});
