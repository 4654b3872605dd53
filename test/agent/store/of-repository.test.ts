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

  it("do not see or end each other's pauses", async () => {
    const { fleet, lab } = await twoProjects(database);
    const pause = { target: "edge", reason: "CHG-1", by: "ann", since: T0, until: undefined };
    await fleet.pauses.pause(pause);
    await fleet.pauses.pause({ ...pause, target: undefined });
    await lab.pauses.pause({ ...pause, reason: "CHG-2", by: "bob" });
    expect(await lab.pauses.active(T0)).toEqual([{ ...pause, reason: "CHG-2", by: "bob" }]);
    expect(await lab.pauses.resume(undefined, "bob", T0)).toBe(false);
    expect(await lab.pauses.resume("edge", "bob", T0)).toBe(true);
    expect([await lab.pauses.active(T0), (await fleet.pauses.active(T0)).map(({ target }) => target)]).toEqual([[], [undefined, "edge"]]);
    await lab.prune({ age: 1, rows: 1, batch: 500 }, T0 + 10 * MINUTE);
    expect(await fleet.pauses.active(T0)).toHaveLength(2);
  });

  it("have plans and approvals of their own, also for equal digests", async () => {
    const { fleet, lab } = await twoProjects(database);
    const plan = { digest: "d".repeat(64), changes: { differs: 1 }, operations: 1, refusals: 0, commitOnly: false, json: '{"of":"fleet"}' };
    await fleet.passes.record(start("edge", T0), end(T0 + 5, { plan }));
    expect([await lab.plans.get("edge", plan.digest), await lab.plans.beginning("edge", "dddd")]).toEqual([undefined, []]);
    await lab.passes.record(start("edge", T0), end(T0 + 6, { plan: { ...plan, json: '{"of":"lab"}' } }));
    expect([(await fleet.plans.get("edge", plan.digest))?.json, await fleet.plans.beginning("edge", "dddd")]).toEqual([
      plan.json,
      [plan.digest],
    ]);
    for (let more = 0; more < 30; more++) {
      const digest = `${more}`.padStart(64, "e");
      await lab.passes.record(start("edge", T0 + more), end(T0 + MINUTE + more, { plan: { ...plan, digest } }));
    }
    await lab.prune({ age: 10 * MINUTE, rows: 10_000, batch: 500 }, T0 + 2 * MINUTE);
    expect(await fleet.plans.get("edge", plan.digest)).toBeDefined();
    expect(await lab.plans.beginning("edge", "")).toHaveLength(20);

    const approval = { target: "edge", digest: plan.digest, by: "ann", at: T0, source: undefined };
    await fleet.approvals.approve(approval);
    await fleet.approvals.approve({ ...approval, digest: `${plan.digest} deletes=1` });
    expect([await lab.approvals.get("edge", plan.digest), await lab.approvals.allowances("edge")]).toEqual([undefined, []]);
    expect(await lab.approvals.withdraw("edge", `${plan.digest} deletes=1`)).toBe(false);
    await lab.approvals.approve({ ...approval, by: "bob" });
    expect([(await fleet.approvals.get("edge", plan.digest))?.by, (await lab.approvals.get("edge", plan.digest))?.by]).toEqual([
      "ann",
      "bob",
    ]);
    expect([await fleet.approvals.withdraw("edge", `${plan.digest} deletes=1`), await fleet.approvals.allowances("edge")]).toEqual([
      true,
      [],
    ]);
  });

  it("have notifications of their own", async () => {
    const { fleet, lab } = await twoProjects(database);
    const sent = { channel: "chat", subject: "drift edge", state: "drift", at: T0 };
    await fleet.notifications.sent(sent);
    expect([await lab.notifications.last("chat", "drift edge"), await lab.notifications.all("chat")]).toEqual([undefined, []]);
    await lab.notifications.sent({ ...sent, state: "in-sync" });
    expect([await fleet.notifications.all("chat"), await lab.notifications.all("chat")]).toEqual([[sent], [{ ...sent, state: "in-sync" }]]);
  });

  it("share pauses and approvals of older versions", async () => {
    const { fleet, lab, open } = await twoProjects(database);
    const older = await open();
    const pause = { target: "edge", reason: "CHG-1", by: "ann", since: T0, until: undefined };
    await older.pauses.pause(pause);
    await older.approvals.approve({ target: "edge", digest: "d1", by: "ann", at: T0, source: undefined });
    await older.notifications.sent({ channel: "chat", subject: "drift edge", state: "drift", at: T0 });
    for (const store of [fleet, lab]) {
      expect([await store.pauses.active(T0), (await store.approvals.get("edge", "d1"))?.by]).toEqual([[pause], "ann"]);
      expect((await store.notifications.all("chat")).map(({ state }) => state)).toEqual(["drift"]);
    }
    await fleet.pauses.pause({ ...pause, reason: "CHG-2" });
    expect([(await fleet.pauses.active(T0)).map(({ reason }) => reason), await lab.pauses.active(T0)]).toEqual([["CHG-2"], []]);
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
