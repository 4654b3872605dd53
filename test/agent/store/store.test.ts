import { expect, it } from "vitest";
import type { Store } from "../../../src/agent/store/store.js";
import type { HistoryQuery } from "../../../src/outcome/history.js";
import { onEachDatabase } from "./each-database.js";
import { addressPath, drifted, end, MINUTE, start, T0 } from "./passes.js";

const find = async (store: Store, query: Partial<HistoryQuery> = {}) => (await store.history.find({ limit: 100, ...query })).entries;

onEachDatabase("a store", (database) => {
  it("records a pass from its start", async () => {
    const store = await database.store();
    const id = await store.passes.start(start());
    expect(await find(store)).toMatchObject([{ id, kind: "pass", target: "edge", at: T0, ended: undefined, outcome: undefined }]);
    expect(await store.passes.latest()).toEqual([]);
    await store.passes.finish(id, end());
    expect(await find(store)).toEqual([
      {
        id,
        kind: "pass",
        at: T0,
        ended: T0 + 900,
        seen: undefined,
        target: "edge",
        pass: undefined,
        path: undefined,
        author: undefined,
        outcome: "in-sync",
        summary: "drift pass, by timer: in sync",
        detail: { pass: "drift", trigger: "timer", commit: "c0ffee", exitCode: 0, durations: { read: 700 } },
        repository: undefined,
      },
    ]);
  });

  it("returns the newest finished pass of each target", async () => {
    const store = await database.store();
    for (const target of ["a", "b", "c"]) {
      await store.passes.record(start(target), end());
      await store.passes.record(start(target, T0 + MINUTE), end(T0 + MINUTE + 5, { outcome: "failed", reason: target }));
    }
    await store.passes.record(start("c", T0 + 2 * MINUTE), end(T0 + 2 * MINUTE, { outcome: "skipped", reason: "nothing moved" }));
    await store.passes.start(start("b", T0 + 2 * MINUTE));
    const latest = await store.passes.latest();
    expect(latest.map(({ target, at, outcome }) => [target, at, outcome])).toEqual([
      ["a", T0 + MINUTE, "failed"],
      ["b", T0 + MINUTE, "failed"],
      ["c", T0 + 2 * MINUTE, "skipped"],
    ]);
    expect(await find(store, { kinds: ["skip"] })).toMatchObject([
      { target: "c", summary: "drift pass, by timer: skipped: nothing moved" },
    ]);
    expect(await find(store, { kinds: ["pass"] })).toHaveLength(7);
  });

  it("returns rows of some targets only, and then none without a target", async () => {
    const store = await database.store();
    for (const target of ["a", "b", "it's"]) await store.passes.record(start(target), end());
    await store.history.note({ kind: "alarm", at: T0, summary: "of none" });
    const targets = async (names: readonly string[]) => (await find(store, { targets: names })).map(({ target }) => target).sort();
    expect(await targets(["a", "it's", "c"])).toEqual(["a", "it's"]);
    expect(await targets([])).toEqual([]);
    expect(await targets(Array.from({ length: 50_000 }, (_, n) => `t${n}`))).toEqual([]);
  });

  it("stores everything of a pass, or nothing", async () => {
    const store = await database.store();
    const id = await store.passes.start(start());
    const broken = {
      get path(): string {
        throw new Error("cut off");
      },
      action: "set",
      phase: "create",
      acknowledged: T0,
    };
    const drift = { items: [drifted("web")] };
    await expect(store.passes.finish(id, end(T0, { drift, operations: [broken] }))).rejects.toThrow("cut off");
    expect(await find(store)).toMatchObject([{ kind: "pass", outcome: undefined }]);
    await store.passes.finish(id, end(T0, { drift }));
    expect((await find(store)).map(({ kind }) => kind).sort()).toEqual(["drift", "pass"]);
  });

  it("stores plan, refusals, operations and job", async () => {
    const store = await database.store();
    const plan = { digest: "d1", changes: { missing: 2 }, operations: 2, refusals: 1, commitOnly: false, json: '{"digest":"d1"}' };
    const refusals = [{ guard: "deletes", message: "3 of 4 would go", path: addressPath("web") }];
    const operations = Array.from({ length: 200 }, (_, i) => ({
      action: "set",
      path: addressPath(`h${i}`),
      phase: "create",
      acknowledged: T0 + i,
    }));
    await store.passes.record(
      start(),
      end(T0 + 500, { plan, refusals, operations, job: { job: "17", result: "committed", lines: ["ok"] } }),
    );
    expect(await find(store, { kinds: ["plan", "refusal", "job"] })).toMatchObject([
      { kind: "job", outcome: "committed", summary: "job 17: ok" },
      { kind: "refusal", outcome: "deletes", summary: "3 of 4 would go", path: addressPath("web") },
      { kind: "plan", outcome: "refused", summary: "2 changes, 2 operations", detail: { digest: "d1" } },
    ]);
    const rows = await find(store, { kinds: ["operation"], limit: 1000 });
    expect(rows).toHaveLength(200);
    expect(rows[0]).toMatchObject({ path: addressPath("h199"), outcome: "set", at: T0 + 199 });
    expect(await store.plans.get("edge", "d1")).toEqual({ ...plan, planned: T0 + 500 });
    expect(await store.plans.get("edge", "d2")).toBeUndefined();
    expect([await store.plans.beginning("edge", "d"), await store.plans.beginning("core", "d")]).toEqual([["d1"], []]);
  });

  it("stores a repeated plan only once", async () => {
    const store = await database.store();
    const plan = (digest: string) => ({ digest, changes: { missing: 1 }, operations: 1, refusals: 0, commitOnly: false, json: undefined });
    for (const [i, digest] of ["d1", "d1", "d2", "d1"].entries())
      await store.passes.record(start("edge", T0 + i), end(T0 + i, { plan: plan(digest) }));
    expect((await find(store, { kinds: ["plan"] })).map(({ detail }) => detail.digest)).toEqual(["d1", "d2", "d1"]);
  });

  it("gives drift its first and last time and its author", async () => {
    const store = await database.store();
    const see = (minute: number, ...items: ReturnType<typeof drifted>[]) =>
      store.passes.record(start("edge", T0 + minute * MINUTE), end(T0 + minute * MINUTE, { drift: { items } }));
    await see(0, drifted("web"));
    await see(1, drifted("web"), drifted("db", "bob"));
    await see(2, drifted("web", "carol"), drifted("db", "bob"));
    expect(await store.drift.open("edge")).toEqual([
      { ...drifted("web", "carol"), id: expect.any(Number), target: "edge", firstSeen: T0, lastSeen: T0 + 2 * MINUTE },
      { ...drifted("db", "bob"), id: expect.any(Number), target: "edge", firstSeen: T0 + MINUTE, lastSeen: T0 + 2 * MINUTE },
    ]);
    expect(await store.drift.totals()).toEqual(new Map([["edge", { count: 2, oldest: T0, authors: ["bob", "carol"], authorCount: 2 }]]));
    await see(3, drifted("db", "bob"));
    expect(await store.drift.open()).toHaveLength(1);
    expect(await find(store, { kinds: ["drift"], author: "carol" })).toMatchObject([
      { at: T0, ended: T0 + 3 * MINUTE, path: addressPath("web") },
    ]);
    await see(4, drifted("web"), drifted("db", "bob"));
    expect((await store.drift.open("edge")).map(({ firstSeen }) => firstSeen)).toEqual([T0 + MINUTE, T0 + 4 * MINUTE]);
    expect(await store.drift.open("other")).toEqual([]);
  });

  it("ends no drift without a new comparison", async () => {
    const store = await database.store();
    await store.passes.record(start(), end(T0, { drift: { items: [drifted("web"), drifted("web2"), drifted("db")] } }));
    await store.passes.record(start(), end(T0 + 1, { drift: { items: [], only: addressPath("web") } }));
    expect((await store.drift.open()).map(({ path }) => path)).toEqual([addressPath("web2"), addressPath("db")]);
    await store.passes.record(start(), end(T0 + 2));
    expect(await store.drift.open()).toHaveLength(2);
    await store.passes.record(start(), end(T0 + 3, { drift: { items: [], only: "/config/shared/address" } }));
    expect(await store.drift.open()).toEqual([]);
  });

  it("counts the corrections of a writing pass", async () => {
    const store = await database.store();
    const leaf = { ...drifted("web"), path: `${addressPath("web")}/ip-netmask` };
    const set = { action: "edit", path: addressPath("web"), phase: "update", acknowledged: T0 };
    for (let i = 0; i < 3; i++) {
      await store.passes.record(start(), end(T0 + i, { drift: { items: [leaf, drifted("db")] } }));
      await store.passes.record(start(), end(T0 + i, { drift: { items: [] }, operations: [set] }));
    }
    expect(await store.drift.heals("edge", T0)).toEqual(new Map([[`differs ${leaf.path}`, 3]]));
    expect(await store.drift.heals("edge", T0 + 2)).toEqual(new Map([[`differs ${leaf.path}`, 1]]));
    expect(await store.drift.heals("other", T0)).toEqual(new Map());
  });

  it("filters by target, time, path, author and kind", async () => {
    const store = await database.store();
    for (const [i, target] of ["a", "b"].entries())
      for (const name of ["web", "web2", "it's", 'say "hi"'])
        await store.passes.record(
          start(target, T0 + i),
          end(T0 + i, { drift: { items: [drifted(name, target === "a" ? "alice" : null)] } }),
        );
    const paths = async (query: Partial<HistoryQuery>) =>
      (await find(store, query)).filter(({ kind }) => kind === "drift").map(({ path }) => path);
    expect(await paths({ path: addressPath("web") })).toEqual([addressPath("web"), addressPath("web")]);
    expect(await paths({ path: addressPath("web"), target: "a" })).toHaveLength(1);
    expect(await paths({ path: "/config/shared/address" })).toHaveLength(8);
    expect(await paths({ path: "/config/shared/addr" })).toEqual([]);
    expect(await paths({ path: "/" })).toHaveLength(8);
    expect(await paths({ author: "alice" })).toHaveLength(4);
    expect(await paths({ author: "alice", target: "b" })).toEqual([]);
    expect(await paths({ since: T0 + 1 })).toHaveLength(4);
    expect(await paths({ until: T0 + 1 })).toHaveLength(4);
    expect(await paths({ since: T0 + 1, until: T0 + 1 })).toEqual([]);
    expect(await find(store, { kinds: ["drift"] })).toHaveLength(8);
    expect(await find(store, { kinds: ["drift", "pass"], target: "a" })).toHaveLength(8);
  });

  it("returns pages without gaps and repetitions", async () => {
    const store = await database.store();
    for (let i = 0; i < 23; i++)
      await store.history.note({ kind: i % 2 === 0 ? "alarm" : "heal", at: T0 + Math.floor(i / 4), target: "edge", summary: `${i}` });
    const summaries: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await store.history.find({ limit: 5, cursor, kinds: ["alarm", "heal"] });
      summaries.push(...page.entries.map(({ summary }) => summary));
      cursor = page.next;
    } while (cursor !== undefined);
    expect(summaries).toEqual(Array.from({ length: 23 }, (_, i) => `${22 - i}`));
    await expect(store.history.find({ limit: 5, cursor: "7; drop" })).rejects.toMatchObject({ code: "option-invalid" });
  });

  it("keeps pauses until they expire or are ended", async () => {
    const store = await database.store();
    const pause = { target: "edge", reason: "maintenance", by: "alice", since: T0, until: T0 + MINUTE };
    const all = { target: undefined, reason: "storm", by: "bob", since: T0, until: undefined };
    await store.pauses.pause({ ...pause, reason: "replaced" });
    await store.pauses.pause(pause);
    await store.pauses.pause(all);
    expect(await store.pauses.active(T0)).toEqual([all, pause]);
    expect(await store.pauses.active(T0 + MINUTE)).toEqual([all]);
    expect(await store.pauses.resume(undefined, "carol", T0 + 1)).toBe(true);
    expect(await store.pauses.resume(undefined, "carol", T0 + 1)).toBe(false);
    expect(await store.pauses.active(T0)).toEqual([pause]);
    expect((await find(store, { kinds: ["pause", "resume"] })).map(({ kind, author }) => [kind, author])).toEqual([
      ["resume", "carol"],
      ["pause", "bob"],
      ["pause", "alice"],
      ["pause", "alice"],
    ]);
  });

  it("uses an allowance once, and no other approval", async () => {
    const store = await database.store();
    const approval = { target: "edge", digest: "d1 --allow down", by: "ann", at: T0, source: "page" };
    await store.approvals.approve(approval);
    await store.approvals.approve({ ...approval, digest: "d1" });
    await store.approvals.approve({ ...approval, target: "core" });
    expect(await store.approvals.allowances("edge")).toEqual([approval]);
    expect(await store.approvals.withdraw("edge", approval.digest)).toBe(true);
    expect(await store.approvals.withdraw("edge", approval.digest)).toBe(false);
    expect(await store.approvals.allowances("edge")).toEqual([]);
    expect(await store.approvals.get("edge", "d1")).toMatchObject({ digest: "d1" });
    expect(await store.approvals.allowances("core")).toHaveLength(1);
  });

  it("keeps approvals by target and digest", async () => {
    const store = await database.store();
    const approval = { target: "edge", digest: "d1", by: "alice", at: T0, source: "https://git.example/pull/7" };
    await store.approvals.approve(approval);
    await store.approvals.approve({ ...approval, by: "bob", at: T0 + 1 });
    expect(await store.approvals.get("edge", "d1")).toEqual(approval);
    expect(await store.approvals.get("edge", "d2")).toBeUndefined();
    expect(await find(store, { kinds: ["approval"] })).toHaveLength(1);
  });

  it("keeps a commit on hold until it is released", async () => {
    const store = await database.store();
    const hold = { target: "edge", commit: "c1", attempts: 1, nextTry: T0 + MINUTE, reason: "job failed", at: T0 };
    await store.holds.hold(hold);
    await store.holds.hold({ ...hold, attempts: 2, nextTry: undefined });
    expect(await store.holds.get("edge")).toEqual({ ...hold, attempts: 2, nextTry: undefined });
    expect(await store.holds.all()).toHaveLength(1);
    await store.holds.release("edge");
    expect(await store.holds.get("edge")).toBeUndefined();
  });

  it("keeps the last good commit when another is refused", async () => {
    const store = await database.store();
    const refused = { source: "origin", commit: "bad", author: "mallory", code: "commit-unsigned", message: "not signed", at: T0 + 1 };
    await store.sources.refuse({ ...refused, source: "new" });
    expect(await store.sources.lastGood("new")).toBeUndefined();
    await store.sources.accept({ source: "origin", commit: "good", at: T0 });
    for (let i = 0; i < 3; i++) await store.sources.refuse(refused);
    expect(await store.sources.lastGood("origin")).toEqual({ source: "origin", commit: "good", at: T0 });
    expect(await find(store, { kinds: ["commit"], author: "mallory" })).toHaveLength(2);
  });

  it("keeps marks, with a pass or separately", async () => {
    const store = await database.store();
    const mark = { target: "edge", commit: "c1", inputs: "i", live: "l", version: "1", skips: 0, until: undefined };
    await store.passes.record(start(), end(T0, { mark }));
    expect(await store.marks.get("edge")).toEqual(mark);
    await store.marks.set({ ...mark, skips: 7, until: "2026-12-01" });
    expect(await store.marks.get("edge")).toEqual({ ...mark, skips: 7, until: "2026-12-01" });
    await store.passes.record(start(), end(T0, { mark: null }));
    expect(await store.marks.get("edge")).toBeUndefined();
  });

  it("knows the last message of a channel", async () => {
    const store = await database.store();
    expect(await store.notifications.last("chat", "edge")).toBeUndefined();
    for (const state of ["drifted", "in-sync"]) await store.notifications.sent({ channel: "chat", subject: "edge", state, at: T0 });
    expect(await store.notifications.last("chat", "edge")).toEqual({ channel: "chat", subject: "edge", state: "in-sync", at: T0 });
  });

  it("keeps ledgers, and lets one of two writers win", async () => {
    const location = await database.fresh();
    const [one, two] = [await database.open(location), await database.open(location)];
    const record = { owner: "netops", target: "edge", commit: "c1", paths: [addressPath("web")], adopted: [], secrets: {} };
    expect(await one.ledger.read("netops", "edge")).toEqual({ state: "missing" });
    expect(await two.ledger.read("netops", "edge")).toEqual({ state: "missing" });
    await one.ledger.write(record);
    await expect(two.ledger.write(record)).rejects.toMatchObject({ code: "ledger-conflict" });
    expect(await two.ledger.read("netops", "edge")).toMatchObject({ state: "present", record });
    await two.ledger.write({ ...record, commit: "c2" });
    await expect(one.ledger.write(record)).rejects.toMatchObject({ code: "ledger-conflict" });
    expect(await one.ledger.foreign("others", "edge")).toEqual(new Map([[addressPath("web"), "netops"]]));
    expect([await one.ledgers.targets("netops"), await one.ledgers.targets("others")]).toEqual([["edge"], []]);
  });

  it("is refused to a second agent, which gets the name of the first", async () => {
    const location = await database.fresh();
    const [one, two] = [await database.open(location), await database.open(location)];
    const runner = { host: "5f1c", hostname: "noc-1", pid: 4711, started: T0, version: "1" };
    const claim = await one.claim(runner, T0);
    await expect(two.claim({ ...runner, pid: 4712 }, T0)).rejects.toMatchObject({
      code: "store-claimed",
      severity: "refused",
      message: expect.stringMatching(/process 4711 on noc-1, since 2026-11-20T08:00:00.000Z/),
    });
    const unfinished = await one.passes.start(start());
    const byHand = await two.passes.start({ ...start("core"), trigger: "command", runner: "laptop:1" });
    await claim.release();
    const next = await two.claim({ ...runner, pid: 4712 }, T0 + MINUTE);
    const passes = await find(two, { kinds: ["pass"] });
    expect(passes.find(({ id }) => id === unfinished)).toMatchObject({
      ended: T0 + MINUTE,
      outcome: "interrupted",
      summary: "drift pass, by timer: interrupted",
    });
    expect(passes.find(({ id }) => id === byHand)).toMatchObject({ ended: undefined });
    await next.release();
  });
});
