import { expect, it } from "vitest";
import { openStore } from "../../../src/agent/store/open.js";
import type { Mark, Store } from "../../../src/agent/store/store.js";
import { driftKey } from "../../../src/agent/store/store.js";
import { onEachDatabase, type TestDatabase } from "./each-database.js";
import { addressPath, drifted, end, MINUTE, start, T0 } from "./passes.js";

const MARK: Mark = { target: "edge", commit: "c0ffee", inputs: "i", live: "l", version: "1", skips: 0, until: undefined };
const HOLD = { target: "edge", commit: "c0ffee", attempts: 1, nextTry: undefined, reason: "job failed", at: T0 };

/** Two projects whose targets have the same name, and a store that knows no repository. */
async function twoProjects(database: TestDatabase) {
  const location = await database.fresh();
  const open = (repository?: string): Promise<Store> => database.open(location, repository);
  return { location, fleet: await open("git.example/net/fleet"), lab: await open("git.example/net/lab"), open };
}

onEachDatabase("two projects in one store", (database) => {
  it("have passes of their own", async () => {
    const { fleet, lab } = await twoProjects(database);
    await fleet.passes.record(start("edge", T0), end(T0 + 5));
    await lab.passes.record(start("edge", T0 + MINUTE), end(T0 + MINUTE + 5, { outcome: "failed", reason: "no answer" }));
    await lab.passes.record(start("core", T0), end(T0 + 5, { outcome: "skipped" }));
    const state = async (store: Store) => ({
      latest: (await store.passes.latest()).map(({ target, outcome }) => `${target} ${outcome}`),
      full: (await store.passes.latestFull()).map(({ entry }) => `${entry.target} ${entry.outcome}`),
      reached: [...(await store.passes.lastReached())],
    });
    expect(await state(fleet)).toEqual({ latest: ["edge in-sync"], full: ["edge in-sync"], reached: [["edge", T0 + 5]] });
    expect(await state(lab)).toEqual({ latest: ["core skipped", "edge failed"], full: ["edge failed"], reached: [["core", T0 + 5]] });
    expect((await fleet.history.find({ target: "edge", limit: 9 })).entries).toHaveLength(1);
    expect((await lab.history.find({ kinds: ["skip"], limit: 9 })).entries).toMatchObject([{ repository: "git.example/net/lab" }]);
  });

  it("do not end the drift of each other, and count only their own heals", async () => {
    const { fleet, lab } = await twoProjects(database);
    await fleet.passes.record(start("edge", T0), end(T0 + 5, { drift: { items: [drifted("web")] } }));
    await lab.passes.record(start("edge", T0 + MINUTE), end(T0 + MINUTE, { drift: { items: [drifted("dns", "bob")] } }));
    const open = async (store: Store) => (await store.drift.open("edge")).map(({ path, firstSeen }) => [path, firstSeen]);
    expect(await open(fleet)).toEqual([[addressPath("web"), T0 + 5]]);
    expect(await open(lab)).toEqual([[addressPath("dns"), T0 + MINUTE]]);
    expect((await fleet.drift.totals()).get("edge")).toMatchObject({ count: 1, authors: ["alice"] });
    const heals = [{ path: addressPath("web"), change: "differs" as const }];
    await fleet.passes.record(start("edge", T0 + 2 * MINUTE), end(T0 + 2 * MINUTE, { drift: { items: [] }, heals }));
    expect(await fleet.drift.heals("edge", T0)).toEqual(new Map(heals.map((heal) => [driftKey(heal), 1])));
    expect((await lab.drift.heals("edge", T0)).size).toBe(0);
    expect([await open(fleet), await open(lab)]).toEqual([[], [[addressPath("dns"), T0 + MINUTE]]]);
  });

  it("have marks and holds of their own", async () => {
    const { fleet, lab } = await twoProjects(database);
    await fleet.marks.set(MARK);
    await lab.passes.record(start("edge"), end(T0, { mark: null }));
    await lab.holds.release("edge");
    expect(await fleet.marks.get("edge")).toEqual(MARK);
    expect(await lab.marks.get("edge")).toBeUndefined();
    await fleet.holds.hold(HOLD);
    await lab.holds.hold({ ...HOLD, commit: "f00d" });
    await lab.holds.release("edge");
    expect([await fleet.holds.get("edge"), await lab.holds.get("edge")]).toEqual([HOLD, undefined]);
    expect([await fleet.holds.all(), await lab.holds.all()]).toEqual([[HOLD], []]);
  });

  it("share rows of older versions until one of them writes them again", async () => {
    const { fleet, lab, open } = await twoProjects(database);
    const older = await open();
    const drift = { items: [drifted("web")] };
    await older.passes.record(start("edge", T0), end(T0 + 5, { drift, mark: MARK }));
    await older.holds.hold(HOLD);
    expect([(await lab.passes.latest()).length, (await lab.drift.open()).length, await lab.marks.get("edge")]).toEqual([1, 1, MARK]);
    expect(await lab.holds.all()).toEqual([HOLD]);
    await fleet.passes.record(start("edge", T0 + MINUTE), end(T0 + MINUTE, { drift, mark: { ...MARK, skips: 1 } }));
    await fleet.holds.hold({ ...HOLD, attempts: 2 });
    expect([(await fleet.drift.open())[0]?.firstSeen, (await lab.drift.open()).length]).toEqual([T0 + 5, 0]);
    expect([await fleet.marks.get("edge"), await lab.marks.get("edge")]).toEqual([{ ...MARK, skips: 1 }, undefined]);
    expect([(await fleet.holds.all()).map(({ attempts }) => attempts), await lab.holds.all()]).toEqual([[2], []]);
  });

  it("are both readable without a repository", async () => {
    const { fleet, lab, location } = await twoProjects(database);
    for (const store of [fleet, lab]) await store.passes.record(start("edge"), end(T0, { drift: { items: [drifted("web")] } }));
    const reader = await openStore(location, { readOnly: true });
    expect(await reader.drift.open()).toHaveLength(2);
    await reader.close();
  });
});
