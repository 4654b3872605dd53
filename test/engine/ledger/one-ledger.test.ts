import { describe, expect, it } from "vitest";
import { encodeRecord } from "../../../src/engine/ledger/codec.js";
import { OneLedger } from "../../../src/engine/ledger/one-ledger.js";
import type { LedgerStore } from "../../../src/engine/ledger/store.js";
import type { LedgerRecord } from "../../../src/engine/ledger.js";
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

describe("the one ledger of an owner and a target", () => {
  it("takes in what runs before left in the other place, and no second time once that is written", async () => {
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

  it("takes it in again when such a run has written since, and keeps what it took from elsewhere", async () => {
    const world = new World();
    world.leave(world.place, { paths: ["/own"], merged: { git: "6", store: "3" } }, "1");
    world.leave(world.former, { paths: ["/theirs"] });
    expect(await world.ledger.read("o", "t")).toMatchObject({
      isUnwritten: true,
      record: { paths: ["/own", "/theirs"], rows: { "/theirs": { came: "unclear" } }, merged: { git: "7", store: "3" } },
    });
  });

  it("does without the other place once it has taken that in, and not before", async () => {
    const world = new World();
    world.former.error = new Error("away");
    expect(await world.ledger.read("o", "t")).toMatchObject({
      state: "unreadable",
      reason: "memory o t, which runs before may have left, cannot be read: away",
    });
    world.leave(world.place, { paths: ["/own"] }, "1");
    expect((await world.ledger.read("o", "t")).state).toBe("unreadable");
    world.leave(world.place, { paths: ["/own"], merged: { git: "7" } }, "2");
    expect(await world.ledger.read("o", "t")).toMatchObject({ state: "present", record: { paths: ["/own"] } });
  });

  it("is unreadable where the other place holds something newer that cannot be read, however much was taken in before", async () => {
    const world = new World();
    world.leave(world.place, { merged: { git: "6" } }, "1");
    world.former.texts.set("o t", { text: "torn", version: "7" });
    expect((await world.ledger.read("o", "t")).state).toBe("unreadable");
  });

  it("is unreadable where its own place is, whatever lies in the other", async () => {
    const world = new World();
    world.leave(world.former, { paths: ["/a"] });
    world.place.texts.set("o t", { text: "torn", version: "1" });
    expect((await world.ledger.read("o", "t")).state).toBe("unreadable");
  });

  it("is that of its own place where there is no other", async () => {
    const world = new World();
    world.leave(world.place, { paths: ["/a"] }, "1");
    const alone = new OneLedger({ place: () => world.place, former: () => undefined, formerName: "git" });
    expect(await alone.read("o", "t")).toMatchObject({ state: "present", record: { paths: ["/a"] } });
  });

  it("is missing where neither has it, and not known before its place is", async () => {
    const world = new World();
    expect(await world.ledger.read("o", "t")).toEqual({ state: "missing" });
    world.known = undefined;
    expect(await world.ledger.read("o", "t")).toMatchObject({ state: "unreadable", reason: expect.stringContaining("has not said yet") });
    await expect(world.ledger.write(record())).rejects.toThrow("place is not known");
  });

  it("remembers what was read or written last for as long as it cannot be read, and forgets what is gone", async () => {
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

  it("knows what other owners have in either place, and the ledger's own place has the last word", async () => {
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

  it("lets nobody write over what another run wrote since it was read", async () => {
    const world = new World();
    world.leave(world.place, {}, "1");
    await world.ledger.read("o", "t");
    world.leave(world.place, { paths: ["/theirs"] }, "2");
    await expect(world.ledger.write(record())).rejects.toMatchObject({ code: "ledger-conflict" });
  });
});
