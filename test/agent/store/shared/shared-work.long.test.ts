import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { PRIORITY } from "../../../../src/agent/priority.js";
import { openStore } from "../../../../src/agent/store/open.js";
import type { DueVisit, Grant, Leases } from "../../../../src/agent/store/shared/leases.js";
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

async function take(target: string, holder: string, times = LONG, wanted?: string): Promise<Grant | undefined> {
  return (await work.leases.acquire(target, holder, SOURCE, times, wanted)).grant;
}

async function jobs(): Promise<{ key: string; trigger: string; wait: number }[]> {
  const pool = work.pool(1);
  const { rows } = await pool.query(
    `select job.key, raw.payload ->> 'trigger' as trigger, extract(epoch from job.run_at - now())::float8 as wait
     from graphile_worker.jobs as job join graphile_worker._private_jobs as raw on raw.id = job.id order by job.key`,
  );
  await pool.end();
  return rows;
}

async function sql(text: string): Promise<void> {
  const pool = work.pool(1);
  await pool.query(text);
  await pool.end();
}

async function takeDue(holder: string, most = 10, times = LONG): Promise<readonly DueVisit[]> {
  return await work.leases.takeDue(most, holder, SOURCE, { ...times, others: {} });
}

it("takes due jobs with their leases, oldest first, up to the limit, and only free ones", async () => {
  await work.jobs.plan(["b", "a", "c"], 0, "git");
  await work.jobs.plan(["later"], 60_000, "timer");
  await sql("update graphile_worker._private_jobs set run_at = run_at - interval '1 minute' where key = 'visit:c'");
  const first = await takeDue("one", 1);
  expect(first.map(({ grant, trigger }) => [grant.target, grant.holder, grant.fence, trigger])).toEqual([["c", "one", 1, "git"]]);
  const others = await takeDue("two");
  expect(others.map(({ grant }) => grant.target).sort()).toEqual(["a", "b"]);
  expect(await takeDue("three")).toEqual([]);
  await work.leases.release((first[0] as DueVisit).grant, { ...RELEASE, next: 0.01, job: first[0]?.job });
  expect((await takeDue("three")).map(({ grant }) => [grant.target, grant.fence, grant.tookOver])).toEqual([["c", 2, false]]);
});

it("takes a user's request, a commit, a takeover and a retry before older timer visits", async () => {
  const timers = Array.from({ length: 5 }, (_, at) => `t${at}`);
  for (const target of [...timers, "retry", "commit", "person"]) {
    const grant = await take(target, "before");
    if (grant !== undefined) await work.leases.release(grant, RELEASE);
  }
  await work.jobs.plan(["gone"], 0, "timer");
  await takeDue("dead", 1, OVER);
  await work.jobs.plan(timers, 0, "timer");
  await work.jobs.plan(["retry"], 0, "timer", PRIORITY.retry);
  await work.jobs.plan(["commit"], 0, "git");
  await work.jobs.plan(["person"], 0, "plan");
  await work.jobs.plan(["t4"], 0, "webhook");
  await work.jobs.plan(["later"], 60_000, "plan");
  const taken: string[] = [];
  for (let turn = 0; turn < 5; turn++) taken.push(...(await takeDue("a", 1)).map(({ grant }) => grant.target));
  expect(taken).toEqual(["person", "commit", "t4", "gone", "retry"]);
  expect((await takeDue("a")).map(({ grant }) => grant.target).sort()).toEqual(["t0", "t1", "t2", "t3"]);
});

it("plans the visit after a failed one as a retry, and the visit after a good one by the timer", async () => {
  await work.jobs.plan(["failed", "good"], 0, "git");
  for (const { grant, job } of await takeDue("a")) {
    const next = { ...RELEASE, next: 0.01, job };
    await work.leases.release(grant, grant.target === "failed" ? { ...next, priority: PRIORITY.retry } : next);
  }
  await sql("update graphile_worker._private_jobs set run_at = run_at - interval '1 minute' where key = 'visit:good'");
  expect((await takeDue("a", 1)).map(({ grant }) => grant.target)).toEqual(["failed"]);
});

it("gives several parallel agents different jobs, and none twice", async () => {
  const targets = Array.from({ length: 40 }, (_, index) => `t${index}`);
  await work.jobs.plan(targets, 0, "timer");
  const took: string[] = [];
  while (took.length < targets.length) {
    const all = await Promise.all(["a", "b", "c", "d"].map((holder) => takeDue(holder, 5)));
    took.push(...all.flat().map(({ grant }) => grant.target));
  }
  expect([...took].sort()).toEqual([...targets].sort());
});

it("makes a job of a dead holder due again when its lease ends, not earlier, as a takeover", async () => {
  await work.jobs.plan(["edge", "core"], 0, "timer");
  const times = { length: 0, request: 0, others: { core: 60_000 } };
  await work.leases.takeDue(10, "gone", SOURCE, times);
  expect((await takeDue("next")).map(({ grant }) => [grant.target, grant.fence, grant.tookOver])).toEqual([["edge", 2, true]]);
});

it("lets a holder without lease neither move the job nor store its state, but records its pass", async () => {
  await work.jobs.plan(["edge"], 0, "timer");
  const [first] = await takeDue("gone", 1, OVER);
  const [second] = await takeDue("next");
  const quiet = quietPass("one");
  expect(await work.leases.release((first as DueVisit).grant, { ...RELEASE, job: first?.job, quiet })).toBe(false);
  expect(await store.marks.get("edge")).toBeUndefined();
  expect((await jobs())[0]?.wait).toBeLessThan(1);
  expect(await work.leases.release((second as DueVisit).grant, { ...RELEASE, job: second?.job, quiet: quietPass("two") })).toBe(true);
  expect(await store.marks.get("edge")).toEqual(quietPass("two").mark);
  expect(await jobs()).toMatchObject([{ key: "visit:edge", trigger: "timer" }]);
  expect((await jobs())[0]?.wait).toBeGreaterThan(50);
  const { entries } = await store.history.find({ limit: 10 });
  expect(entries.map(({ kind, outcome, target }) => [kind, outcome, target])).toEqual([
    ["skip", "skipped", "edge"],
    ["skip", "skipped", "edge"],
  ]);
});

it("records a quiet pass like a separately recorded one", async () => {
  await work.jobs.plan(["edge"], 0, "timer");
  const [due] = await takeDue("a");
  const { start, end, mark } = quietPass("one");
  await store.passes.record(start, { ...end, mark });
  await work.leases.release((due as DueVisit).grant, { ...RELEASE, job: due?.job, quiet: { start, end, mark } });
  const { entries } = await store.history.find({ limit: 10 });
  const [one, two] = entries.map(({ id: _, ...entry }) => entry);
  expect(one).toEqual(two);
  await work.jobs.plan(["edge"], 0, "timer");
  expect((await takeDue("b"))[0]?.mark).toEqual(mark);
});

function quietPass(live: string): NonNullable<Parameters<Leases["release"]>[1]["quiet"]> {
  const start = { target: "edge", pass: "drift", trigger: "timer", started: 1, commit: "c", runner: "h:1" } as const;
  const end = { ended: 2, outcome: "skipped", exitCode: 0, reason: "nothing moved", durations: { digest: 1 } } as const;
  return { start, end, mark: { target: "edge", commit: "c", inputs: "i", live, version: "1", skips: 1, until: undefined } };
}

it("plans a visit requested during another right after it, with its own reason", async () => {
  await work.jobs.plan(["edge"], 0, "timer");
  const [due] = await takeDue("a");
  await work.jobs.plan(["edge"], 0, "reconcile");
  expect(await takeDue("b")).toEqual([]);
  await work.leases.release((due as DueVisit).grant, { ...RELEASE, job: due?.job });
  expect(await jobs()).toMatchObject([{ key: "visit:edge", trigger: "reconcile" }]);
  expect(await takeDue("b")).toMatchObject([{ trigger: "reconcile" }]);
});

it("lets an older agent, which locks jobs, and a current one respect each other", async () => {
  await work.jobs.plan(["edge", "core"], 0, "timer");
  await sql("update graphile_worker._private_jobs set locked_by = 'w', locked_at = now() where key = 'visit:core'");
  const due = await takeDue("a");
  expect(due.map(({ grant }) => grant.target)).toEqual(["edge"]);
  // It takes the job of the visited target, fails to get the lease, reschedules the visit, and its job ends.
  await sql("update graphile_worker._private_jobs set locked_by = 'w', locked_at = now() where key = 'visit:edge'");
  expect(await take("edge", "older", LONG, "command")).toBeUndefined();
  await work.jobs.plan(["edge"], 60_000, "command");
  await sql("delete from graphile_worker._private_jobs where locked_by = 'w' and payload ->> 'target' = 'edge'");
  await work.leases.release((due[0] as DueVisit).grant, { ...RELEASE, next: 900_000, job: due[0]?.job });
  const edge = (await jobs()).filter(({ key }) => key === "visit:edge");
  expect(edge).toMatchObject([{ trigger: "command" }]);
  expect(edge[0]?.wait).toBeLessThan(1);
});

it("finds jobs behind any number of running visits", async () => {
  const busy = Array.from({ length: 300 }, (_, index) => `busy${index}`);
  await work.jobs.plan(busy, 0, "timer");
  expect(await takeDue("crew", 300)).toHaveLength(300);
  await work.jobs.plan(["last"], 0, "timer");
  expect((await takeDue("a", 1)).map(({ grant }) => grant.target)).toEqual(["last"]);
  expect(await takeDue("b", 1)).toEqual([]);
});

it("drops removed targets: no lease, no job", async () => {
  await work.jobs.plan(["edge"], 0, "timer");
  const [due] = await takeDue("a");
  await work.leases.giveUp(due as DueVisit);
  expect(await jobs()).toEqual([]);
  expect(await take("edge", "b")).toMatchObject({ tookOver: false });
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
  const asked = await work.leases.acquire("edge", "b", SOURCE, LONG, undefined);
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
  expect(await jobs()).toMatchObject([{ key: "visit:edge", trigger: "timer" }]);
});

it("plans a visit requested during another right after it", async () => {
  const first = (await take("edge", "a")) as Grant;
  expect(await take("edge", "b", LONG, "reconcile")).toBeUndefined();
  await work.leases.release(first, RELEASE);
  const [job] = await jobs();
  expect(job).toMatchObject({ trigger: "reconcile" });
  expect(job?.wait).toBeLessThan(1);
});

it("keeps a job that is due before the one after a visit", async () => {
  const first = (await take("edge", "a")) as Grant;
  await work.jobs.plan(["edge"], 0, "webhook");
  await work.leases.release(first, RELEASE);
  expect(await jobs()).toMatchObject([{ trigger: "webhook" }]);
});

it("plans targets without a job, spread, and immediately if a commit waits; nothing twice", async () => {
  const taking = { source: SOURCE, before: undefined, commit: "c1", trigger: "git" };
  await work.commits.take({ ...taking, touched: [{ target: "t0", wave: undefined }] });
  const pool = work.pool(1);
  await pool.query("delete from graphile_worker._private_jobs");
  await pool.end();
  const targets = Array.from({ length: 200 }, (_, index) => `t${index}`);
  expect(await work.jobs.ensure(targets, 900_000, 60_000)).toBe(200);
  expect(await work.jobs.ensure(targets, 900_000, 60_000)).toBe(0);
  const planned = await jobs();
  expect(planned.find(({ key }) => key === "visit:t0")?.wait).toBeLessThan(1);
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

it("knows its members, and removes silent ones with their passes and jobs", async () => {
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
  // As an older agent, which locks its jobs.
  await sql("update members set worker = 'pool-3' where id = 'm3'");
  await work.jobs.plan(["edge"], 0, "timer");
  await sql("update graphile_worker._private_jobs set locked_by = 'pool-3', locked_at = now()");
  await work.members.bury(6);
  expect(await takeDue("b")).toHaveLength(1);
  const { entries } = await store.history.find({ limit: 10 });
  expect(entries.find(({ kind }) => kind === "pass")).toMatchObject({ outcome: "interrupted", ended: 6 });
  expect(entries.filter(({ outcome }) => outcome === "agent-gone")).toHaveLength(2);
  expect((await work.members.all()).map(({ id }) => id)).toEqual(["m1"]);
});
