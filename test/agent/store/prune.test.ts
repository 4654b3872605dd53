import { expect, it } from "vitest";
import type { Retention, Store } from "../../../src/agent/store/store.js";
import { onEachDatabase } from "./each-database.js";
import { drifted, end, MINUTE, start, T0 } from "./passes.js";

const DAY = 86_400_000;
const KEEP: Retention = { age: 30 * DAY, rows: 1_000, batch: 10 };

async function pruneAll(store: Store, retention: Retention, now: number): Promise<number> {
  let calls = 1;
  while (await store.prune(retention, now)) if (calls++ > 1_000) throw new Error("does not end");
  return calls;
}

const count = async (store: Store, target?: string) => (await store.history.find({ limit: 10_000, target })).entries.length;

onEachDatabase("retention", (database) => {
  it("deletes old rows in batches, and never open drift or a running pass", async () => {
    const store = await database.store();
    for (let day = 0; day < 60; day++) await store.passes.record(start("edge", T0 + day * DAY), end(T0 + day * DAY + 5));
    await store.passes.record(start("edge", T0), end(T0, { drift: { items: [drifted("open"), drifted("over")] } }));
    await store.passes.record(start("edge", T0 + MINUTE), end(T0 + MINUTE, { drift: { items: [drifted("open")] } }));
    const running = await store.passes.start(start("edge", T0));
    const calls = await pruneAll(store, KEEP, T0 + 60 * DAY);
    expect(calls).toBeGreaterThan(3);
    const { entries } = await store.history.find({ limit: 1_000 });
    expect(entries.filter(({ kind }) => kind === "pass").map(({ id }) => id)).toContain(running);
    expect(entries.filter(({ kind, ended }) => kind === "pass" && ended !== undefined).length).toBe(30);
    expect(entries.filter(({ kind }) => kind === "drift")).toMatchObject([{ path: drifted("open").path, ended: undefined }]);
  });

  it("keeps a number of newest rows per target, and all open drift", async () => {
    const store = await database.store();
    await store.passes.record(start("b", T0 - DAY), end(T0 - DAY, { drift: { items: [drifted("open")] } }));
    for (const [target, rows] of [
      ["a", 35],
      ["b", 60],
      ["c", 5],
      ["", 30],
    ] as const)
      for (let i = 0; i < rows; i++) await store.history.note({ kind: "alarm", at: T0 + i, target, summary: `${i}` });
    await pruneAll(store, { ...KEEP, rows: 20 }, T0 + DAY);
    expect([await count(store, "a"), await count(store, "b"), await count(store, "c")]).toEqual([20, 21, 5]);
    const { entries } = await store.history.find({ limit: 1_000, target: "b" });
    expect(entries.map(({ kind, summary }) => (kind === "alarm" ? summary : kind))).toEqual([
      ...Array.from({ length: 20 }, (_, i) => `${59 - i}`),
      "drift",
    ]);
    expect((await store.history.find({ limit: 1_000 })).entries.filter(({ target }) => target === undefined)).toHaveLength(20);
    expect(await pruneAll(store, { ...KEEP, rows: 20 }, T0 + DAY)).toBe(1);
  });

  it("keeps the newest plans of a target", async () => {
    const store = await database.store();
    const plan = (digest: string) => ({ digest, changes: {}, operations: 1, refusals: 0, commitOnly: false, json: "{}" });
    for (let i = 0; i < 30; i++) await store.passes.record(start("edge", T0 + i), end(T0 + i, { plan: plan(`d${i}`) }));
    await pruneAll(store, KEEP, T0 + DAY);
    expect(await store.plans.get("edge", "d9")).toBeUndefined();
    expect(await store.plans.get("edge", "d10")).toBeDefined();
  });
});
