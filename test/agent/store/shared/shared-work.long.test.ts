import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { PRIORITY } from "../../../../src/agent/priority.js";
import { openStore } from "../../../../src/agent/store/open.js";
import type { Grant } from "../../../../src/agent/store/shared/leases.js";
import type { SharedWork } from "../../../../src/agent/store/shared/shared-work.js";
import type { Store } from "../../../../src/agent/store/store.js";
import { SecretValue } from "../../../../src/core/secret.js";
import { startPostgres, type TestPostgres } from "../postgres.js";

const SOURCE = "https://git.example.com/net.git branch:main";
const LONG = { length: 60_000, request: 5_000 };
const OVER = { length: 0, request: 0 };
const RELEASE = { state: '{"unreachable":1}', applied: true, leavesWave: false, next: 60_000, trigger: "timer" };
const MEMBER = { host: "h", hostname: "noc-1", pid: 1, started: 0, version: "1.0.0", goneAfter: 0 };

let server: TestPostgres;
const stores: Store[] = [];
let store: Store;
let work: SharedWork;
let url: string;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => {
  for (const each of stores) await each.close();
  await server.stop();
});
beforeEach(async () => {
  url = await server.createDatabase();
  store = await openStore({ kind: "postgres", url: new SecretValue(url, "url") }, { readOnly: false });
  stores.push(store);
  if (store.shared === undefined) throw new Error("not shared");
  work = store.shared;
  await work.prepare();
});

async function take(target: string, holder: string, times = LONG): Promise<Grant | undefined> {
  return (await work.leases.acquire(target, holder, SOURCE, times)).grant;
}

/** Takes a target and releases it, with a next visit in a minute. */
async function visit(target: string, release: Partial<Parameters<typeof work.leases.release>[1]> = {}): Promise<boolean> {
  return await work.leases.release((await take(target, "a")) as Grant, { ...RELEASE, ...release });
}

interface PlannedJob {
  readonly key: string;
  readonly priority: number;
  readonly wait: number;
}

async function jobs(): Promise<PlannedJob[]> {
  return await sql("select key, priority, extract(epoch from run_at - now())::float8 as wait from graphile_worker.jobs order by key");
}

async function sql<Row>(text: string): Promise<Row[]> {
  const pool = work.pool(1);
  const { rows } = await pool.query(text);
  await pool.end();
  return rows;
}

it("plans the visit after a failed one as a retry, and the visit after a good one by the timer", async () => {
  await visit("failed", { priority: PRIORITY.retry });
  await visit("good");
  expect(await jobs()).toMatchObject([
    { key: "visit:failed", priority: PRIORITY.retry },
    { key: "visit:good", priority: PRIORITY.timer },
  ]);
});

it("plans a visit requested during another right after it, with its own trigger", async () => {
  const first = (await take("edge", "a")) as Grant;
  await work.jobs.plan(["edge"], 0, "reconcile");
  await work.jobs.plan(["edge"], 60_000, "timer");
  await work.leases.release(first, RELEASE);
  expect((await jobs())[0]?.wait).toBeLessThan(1);
  expect(await take("edge", "b")).toMatchObject({ wanted: "reconcile" });
  expect(await visit("core")).toBe(true);
  expect(await take("core", "b")).toMatchObject({ wanted: undefined });
});

it("does not repeat a visit because of a job that was postponed", async () => {
  const first = (await take("edge", "a")) as Grant;
  await work.jobs.postpone("edge", 60_000, "git", PRIORITY.commit);
  await work.leases.release(first, RELEASE);
  expect((await jobs())[0]?.wait).toBeGreaterThan(50);
  expect(await take("edge", "b")).toMatchObject({ wanted: undefined });
});

it("stores the request for a target that was never visited", async () => {
  await work.jobs.plan(["edge"], 0, "plan");
  expect(await take("edge", "a")).toMatchObject({ fence: 1, tookOver: false, wanted: "plan" });
});

it("keeps a request that arrives before the lease is taken for another reason", async () => {
  await visit("edge");
  await work.jobs.plan(["edge"], 0, "plan");
  const grant = (await take("edge", "a")) as Grant;
  expect(grant.wanted).toBe("plan");
  await work.leases.release(grant, RELEASE);
  expect(await take("edge", "b")).toMatchObject({ wanted: undefined });
});

it("returns the request to exactly one of many parallel holders", async () => {
  await visit("edge");
  for (let round = 0; round < 10; round++) {
    const [, ...took] = await Promise.all([
      work.jobs.plan(["edge"], 0, "plan"),
      ...["b", "c", "d"].map(async (holder) => {
        const grant = await take("edge", holder);
        if (grant !== undefined) await work.leases.release(grant, RELEASE);
        return grant?.wanted;
      }),
    ]);
    const last = (await take("edge", "e")) as Grant;
    await work.leases.release(last, RELEASE);
    expect([...took, last.wanted].filter((wanted) => wanted === "plan")).toHaveLength(1);
  }
});

it("gives a target to one holder at a time, and to the next with a higher number", async () => {
  const first = await take("edge", "a");
  expect(first?.fence).toBe(1);
  expect(await take("edge", "b")).toBeUndefined();
  expect(await take("edge", "a")).toBeUndefined();
  expect(await take("core", "b")).toBeDefined();
  expect(await work.leases.release(first as Grant, RELEASE)).toBe(true);
  const second = await take("edge", "b");
  expect(first?.tookOver).toBe(false);
  expect(second).toMatchObject({ fence: 2, tookOver: false, state: RELEASE.state });
});

it("gives it to one of many parallel requests", async () => {
  const grants = await Promise.all(Array.from({ length: 20 }, (_, index) => take("edge", `agent${index}`)));
  expect(grants.filter((grant) => grant !== undefined)).toHaveLength(1);
});

it("ends a lease on time, not before a request of its holder can have ended", async () => {
  await take("edge", "a", { length: 0, request: 60_000 });
  const asked = await work.leases.acquire("edge", "b", SOURCE, LONG);
  expect(asked.grant).toBeUndefined();
  expect("free" in asked && asked.free).toBeGreaterThan(50_000);
  await take("core", "a", OVER);
  expect(await take("core", "b")).toMatchObject({ fence: 2, tookOver: true });
});

it("lets the former holder neither renew nor release a lease, nor plan a visit", async () => {
  const first = (await take("edge", "a", OVER)) as Grant;
  const second = (await take("edge", "b")) as Grant;
  expect(await work.leases.renew("a", ["edge"], LONG)).toEqual(new Map());
  expect(await work.leases.release(first, RELEASE)).toBe(false);
  expect(await jobs()).toEqual([]);
  expect(await work.leases.renew("b", ["edge", "core"], LONG)).toEqual(new Map([["edge", 2]]));
  expect(await work.leases.release(second, RELEASE)).toBe(true);
  expect(await jobs()).toMatchObject([{ key: "visit:edge", priority: PRIORITY.timer }]);
});

it("plans targets without a job, spread, and immediately if a commit waits; nothing twice", async () => {
  const taking = { source: SOURCE, before: undefined, commit: "c1", trigger: "git" };
  await work.commits.take({ ...taking, touched: [{ target: "t0", wave: undefined }] });
  await sql("select graphile_worker.remove_job(key) from graphile_worker.jobs");
  const targets = Array.from({ length: 200 }, (_, index) => `t${index}`);
  expect(await work.jobs.ensure(targets, 900_000, 60_000)).toBe(200);
  expect(await work.jobs.ensure(targets, 900_000, 60_000)).toBe(0);
  const planned = await jobs();
  expect(planned.find(({ key }) => key === "visit:t0")?.wait).toBeLessThan(1);
  await take("t1", "dead", OVER);
  await sql("select graphile_worker.remove_job('visit:t1')");
  expect(await work.jobs.ensure(targets, 900_000, 60_000)).toBe(1);
  const [takeover] = (await jobs()).filter(({ key }) => key === "visit:t1");
  expect(takeover).toMatchObject({ priority: PRIORITY.takeover });
  expect(takeover?.wait).toBeLessThan(1);
  const early = planned.filter(({ wait }) => wait < 450).length;
  expect(early).toBeGreaterThan(60);
  expect(early).toBeLessThan(140);
});

it("activates a commit once, for any order of agents, and makes its targets due", async () => {
  const touched = [{ target: "edge", wave: undefined }];
  const taking = { source: SOURCE, before: undefined, trigger: "git", touched };
  const took = await Promise.all(["c1", "c2", "c3"].map((commit) => work.commits.take({ ...taking, commit })));
  expect(took.filter(Boolean)).toHaveLength(1);
  const commit = await work.commits.inForce(SOURCE);
  expect(await take("edge", "a")).toMatchObject({ commit, pending: commit, touched: commit });
  expect(await jobs()).toHaveLength(1);
  expect(await work.commits.take({ ...taking, before: "something else", commit: "c4" })).toBe(false);
});

it("keeps a commit that arrives during a visit pending", async () => {
  await work.commits.take({
    source: SOURCE,
    before: undefined,
    commit: "c1",
    trigger: "git",
    touched: [{ target: "edge", wave: undefined }],
  });
  const grant = (await take("edge", "a")) as Grant;
  await work.commits.take({ source: SOURCE, before: "c1", commit: "c2", trigger: "git", touched: [{ target: "edge", wave: undefined }] });
  await work.leases.release(grant, RELEASE);
  expect((await jobs())[0]?.wait).toBeLessThan(1);
  expect(await take("edge", "b")).toMatchObject({ pending: "c2" });
});

it("lists targets that still need a commit, and the memory of their last holders", async () => {
  const touched = ["edge", "core"].map((target) => ({ target, wave: undefined }));
  await work.commits.take({ source: SOURCE, before: undefined, commit: "c1", trigger: "git", touched });
  await work.leases.release((await take("edge", "a")) as Grant, { ...RELEASE, applied: false });
  const behind = await work.leases.behind(["edge", "core", "unknown"]);
  expect([...behind].sort((a, b) => (a.target < b.target ? -1 : 1))).toEqual([
    { target: "core", touched: "c1", state: "{}" },
    { target: "edge", touched: "c1", state: RELEASE.state },
  ]);
  await work.leases.release((await take("core", "a")) as Grant, RELEASE);
  expect(await work.leases.behind(["core"])).toEqual([]);
});

it("does not count silent targets of an earlier commit, and keeps them pending", async () => {
  const grants = await Promise.all(["silent", "failed"].map((target) => take(target, "a")));
  for (const grant of grants) {
    const state = grant?.target === "silent" ? '{"unreachable":3}' : "{}";
    if (grant !== undefined) await work.leases.release(grant, { ...RELEASE, state, applied: false });
  }
  const both = ["silent", "failed"].map((target) => ({ target, wave: undefined }));
  await work.commits.take({ source: SOURCE, before: undefined, commit: "c1", trigger: "git", touched: both });
  expect(await work.commits.counted("c1")).toEqual(["failed", "silent"]);
  const touched = [...both.map((each) => ({ ...each, isChanged: false })), { target: "other", wave: undefined, isChanged: true }];
  await work.commits.take({ source: SOURCE, before: "c1", commit: "c2", trigger: "git", touched });
  expect(await work.commits.counted("c2")).toEqual(["failed", "other"]);
  expect(await work.commits.unfinished()).toEqual(["failed", "other", "silent"]);
  await work.commits.take({ source: SOURCE, before: "c2", commit: "c3", trigger: "git", touched: both });
  expect(await work.commits.counted("c3")).toContain("silent");
  const unanswered = await work.leases.unanswered();
  expect([...unanswered.keys()]).toEqual(["silent"]);
  expect(unanswered.get("silent")).toEqual({ visits: 3, next: expect.any(Number) });
});

it("proceeds to the next wave when one is empty", async () => {
  const touched = [
    { target: "canary", wave: 1 },
    { target: "x", wave: 2 },
    { target: "y", wave: 2 },
  ];
  await work.commits.take({ source: SOURCE, before: undefined, commit: "c1", trigger: "git", touched });
  expect((await jobs()).map(({ key }) => key)).toEqual(["visit:canary"]);
  expect(await work.commits.advance(SOURCE)).toBeUndefined();
  const canary = (await take("canary", "a")) as Grant;
  expect(canary).toMatchObject({ wave: 1, turn: 1 });
  await work.leases.release(canary, { ...RELEASE, leavesWave: true });
  const waves = await Promise.all([work.commits.advance(SOURCE), work.commits.advance(SOURCE)]);
  expect(waves.filter((wave) => wave !== undefined)).toEqual([{ wave: 2, of: 2, targets: ["x", "y"] }]);
  for (const target of ["x", "y"]) await work.leases.release((await take(target, "a")) as Grant, { ...RELEASE, leavesWave: true });
  expect(await work.commits.advance(SOURCE)).toMatchObject({ targets: [] });
  expect(await work.commits.unfinished()).toEqual([]);
});

it("knows its members, and removes silent ones with their passes", async () => {
  const start = { target: "edge", pass: "drift", trigger: "timer", started: 1, commit: "c", runner: "h:1" } as const;
  await store.passes.start(start);
  await work.members.beat({ ...MEMBER, id: "m1", goneAfter: 60_000 });
  await work.members.beat({ ...MEMBER, id: "m2", pid: 2, goneAfter: -1 });
  expect((await work.members.all()).map(({ id, version }) => [id, version])).toEqual([
    ["m1", "1.0.0"],
    ["m2", "1.0.0"],
  ]);
  expect((await work.members.bury(5)).map(({ id }) => id)).toEqual(["m2"]);
  await work.members.beat({ ...MEMBER, id: "m3", goneAfter: -1 });
  await work.members.bury(6);
  const { entries } = await store.history.find({ limit: 10 });
  expect(entries.find(({ kind }) => kind === "pass")).toMatchObject({ outcome: "interrupted", ended: 6 });
  expect(entries.filter(({ outcome }) => outcome === "agent-gone")).toHaveLength(2);
  expect((await work.members.all()).map(({ id }) => id)).toEqual(["m1"]);
});

it("counts the silence of members from the start of the database server", async () => {
  await work.members.beat({ ...MEMBER, id: "m1", goneAfter: 600_000 });
  await sql("update members set seen = seen - 86400000");
  expect(await work.members.bury(5)).toEqual([]);
  await sql("update members set gone_after = -1");
  expect(await work.members.bury(5)).toHaveLength(1);
});

it("records a lost member under the repository that it followed", async () => {
  const other = await openStore(
    { kind: "postgres", url: new SecretValue(url, "url") },
    { readOnly: false, repository: "git.example/net/lab" },
  );
  stores.push(other);
  await other.shared?.members.beat({ ...MEMBER, id: "m1", goneAfter: -1 });
  await work.members.bury(5);
  const { entries } = await store.history.find({ limit: 10 });
  expect(entries.map(({ outcome, repository }) => [outcome, repository])).toEqual([["agent-gone", "git.example/net/lab"]]);
});
