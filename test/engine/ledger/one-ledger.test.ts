import { describe, expect, it } from "vitest";
import { encodeRecord } from "../../../src/engine/ledger/codec.js";
import type { LedgerRecord } from "../../../src/engine/ledger/ledger.js";
import { OneLedger } from "../../../src/engine/ledger/one-ledger.js";
import type { LedgerStore } from "../../../src/engine/ledger/store.js";
import { MemoryStore } from "./memory-store.js";
import { smallRecord as record } from "./small-record.js";

class World {
  readonly place = new MemoryStore();
  readonly former = new MemoryStore();
  known: LedgerStore | undefined = this.place;
  readonly ledger = new OneLedger({ place: () => this.known, former: () => this.former, formerName: "git" });

  leave(store: MemoryStore, fields: Partial<LedgerRecord>, version = "7"): void {
    const left = record(fields);
    store.texts.set(`${left.owner} ${left.target}`, { text: encodeRecord(left), version });
  }
}

describe("the single ledger of an owner and a target", () => {
  it("includes rows of earlier runs in the other place, and only once", async () => {
    const world = new World();
    world.leave(world.former, { paths: ["/a"] });
    const read = await world.ledger.read("o", "t");
    expect(read).toMatchObject({ state: "present", isUnwritten: true, record: { paths: ["/a"], merged: { git: "7" } } });
    if (read.state !== "present") throw new Error("it is there");
    await world.ledger.write({ ...read.record, paths: [] });
    const again = await world.ledger.read("o", "t");
    expect(again).toMatchObject({ state: "present", record: { paths: [], merged: { git: "7" } } });
    expect("isUnwritten" in again).toBe(false);
  });

  it("includes them again if such a run wrote since, and keeps rows of other origin", async () => {
    const world = new World();
    world.leave(world.place, { paths: ["/own"], merged: { git: "6", store: "3" } }, "1");
    world.leave(world.former, { paths: ["/theirs"] });
    expect(await world.ledger.read("o", "t")).toMatchObject({
      isUnwritten: true,
      record: { paths: ["/own", "/theirs"], rows: { "/theirs": { came: "unclear" } }, merged: { git: "7", store: "3" } },
    });
  });

  it("does not need the other place after that, and not before", async () => {
    const world = new World();
    world.former.error = new Error("away");
    expect(await world.ledger.read("o", "t")).toMatchObject({
      state: "unreadable",
      reason: "memory o t, which earlier runs may have written, cannot be read: away",
    });
    world.leave(world.place, { paths: ["/own"] }, "1");
    expect((await world.ledger.read("o", "t")).state).toBe("unreadable");
    world.leave(world.place, { paths: ["/own"], merged: { git: "7" } }, "2");
    expect(await world.ledger.read("o", "t")).toMatchObject({ state: "present", record: { paths: ["/own"] } });
  });

  it("is unreadable if the other place has a newer unreadable ledger, whatever was included before", async () => {
    const world = new World();
    world.leave(world.place, { merged: { git: "6" } }, "1");
    world.former.texts.set("o t", { text: "torn", version: "7" });
    expect((await world.ledger.read("o", "t")).state).toBe("unreadable");
  });

  it("is unreadable if its own place is, whatever the other contains", async () => {
    const world = new World();
    world.leave(world.former, { paths: ["/a"] });
    world.place.texts.set("o t", { text: "torn", version: "1" });
    expect((await world.ledger.read("o", "t")).state).toBe("unreadable");
  });

  it("is its own place's without another", async () => {
    const world = new World();
    world.leave(world.place, { paths: ["/a"] }, "1");
    const alone = new OneLedger({ place: () => world.place, former: () => undefined, formerName: "git" });
    expect(await alone.read("o", "t")).toMatchObject({ state: "present", record: { paths: ["/a"] } });
  });

  it("is missing if neither has it, and unknown before its place is", async () => {
    const world = new World();
    expect(await world.ledger.read("o", "t")).toEqual({ state: "missing" });
    world.known = undefined;
    expect(await world.ledger.read("o", "t")).toMatchObject({
      state: "unreadable",
      reason: expect.stringContaining("has not set its place yet"),
    });
    await expect(world.ledger.write(record())).rejects.toThrow("place is not known");
  });

  it("remembers the last version while unreadable, and forgets deleted ones", async () => {
    const world = new World();
    world.leave(world.place, { paths: ["/a"] }, "1");
    await world.ledger.read("o", "t");
    world.place.error = new Error("away");
    expect(await world.ledger.read("o", "t")).toMatchObject({ state: "unreadable", lastKnown: { paths: ["/a"] } });
    expect(await world.ledger.read("o", "u")).toMatchObject({ state: "unreadable", lastKnown: undefined });
    world.place.error = undefined;
    await world.ledger.read("o", "t");
    await world.ledger.write(record({ paths: ["/b"] }));
    world.place.error = new Error("away");
    expect(await world.ledger.read("o", "t")).toMatchObject({ lastKnown: { paths: ["/b"] } });
    world.place.error = undefined;
    world.place.texts.clear();
    expect(await world.ledger.read("o", "t")).toEqual({ state: "missing" });
    world.place.error = new Error("away");
    expect(await world.ledger.read("o", "t")).toMatchObject({ state: "unreadable", lastKnown: undefined });
  });

  it("knows ledgers of other owners in either place, and its own place decides", async () => {
    const world = new World();
    world.leave(world.former, { owner: "former", paths: ["/a", "/both"] });
    world.leave(world.place, { owner: "other", paths: ["/b", "/both"] });
    expect(await world.ledger.foreign("o", "t")).toEqual(
      new Map([
        ["/a", "former"],
        ["/both", "other"],
        ["/b", "other"],
      ]),
    );
    const alone = new OneLedger({ place: () => world.place, former: () => undefined, formerName: "git" });
    expect([...(await alone.foreign("o", "t")).keys()]).toEqual(["/b", "/both"]);
    world.known = undefined;
    expect([...(await world.ledger.foreign("o", "t")).keys()]).toEqual(["/a", "/both"]);
  });

  it("does not let anybody overwrite another run's changes since the read", async () => {
    const world = new World();
    world.leave(world.place, {}, "1");
    await world.ledger.read("o", "t");
    world.leave(world.place, { paths: ["/theirs"] }, "2");
    await expect(world.ledger.write(record())).rejects.toMatchObject({ code: "ledger-conflict" });
  });
});
