import { promises, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Pool } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { systemClock } from "../../../src/agent/clock.js";
import { PRIORITY } from "../../../src/agent/priority.js";
import { JobEngine, type JobEngineOptions } from "../../../src/agent/shared/job-engine.js";
import { openStore } from "../../../src/agent/store/open.js";
import type { SharedWork } from "../../../src/agent/store/shared/shared-work.js";
import type { VisitPayload } from "../../../src/agent/store/shared/sql.js";
import type { Store } from "../../../src/agent/store/store.js";
import { SecretValue } from "../../../src/core/secret.js";
import { startPostgres, type TestPostgres } from "../store/postgres.js";

const MEMBER = { id: "m", host: "h", hostname: "noc-1", pid: 1, started: 0, version: "1.0.0", goneAfter: -1 };

let server: TestPostgres;
let store: Store;
let work: SharedWork;
let pool: Pool;
let engines: JobEngine[];
let failures: unknown[];
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => await server.stop());
beforeEach(async () => {
  store = await openStore({ kind: "postgres", url: new SecretValue(await server.createDatabase(), "url") }, { readOnly: false });
  if (store.shared === undefined) throw new Error("not shared");
  work = store.shared;
  await work.prepare();
  pool = work.pool(1);
  engines = [];
  failures = [];
});
afterEach(async () => {
  for (const engine of engines) await engine.close();
  await pool.end();
  await store.close();
});

/** Visits that the test ends. */
class Visits {
  readonly begun: VisitPayload[] = [];
  readonly freeSlots: (() => void)[] = [];
  readonly ends: (() => void)[] = [];
  #waiting: (() => void)[] = [];

  /** Resolves after so many visits have begun. */
  async count(visits: number): Promise<readonly string[]> {
    while (this.begun.length < visits) await new Promise<void>((wake) => this.#waiting.push(wake));
    return this.begun.map(({ target }) => target);
  }

  async visit(job: VisitPayload, freeSlot: () => void): Promise<void> {
    this.begun.push(job);
    this.freeSlots.push(freeSlot);
    const end = new Promise<void>((done) => this.ends.push(done));
    for (const wake of this.#waiting.splice(0)) wake();
    await end;
  }
}

function engine(visits: Visits, options: Partial<JobEngineOptions> = {}): JobEngine {
  const made = new JobEngine({
    pool: (connections) => work.pool(connections),
    clock: systemClock,
    concurrency: () => 1,
    visit: (job, freeSlot) => visits.visit(job, freeSlot),
    silent: () => 0,
    enter: async () => undefined,
    leave: (runner) => work.members.unlock(runner),
    onFailure: (error) => failures.push(error),
    ...options,
  });
  engines.push(made);
  return made;
}

async function jobs() {
  const columns = "key, task_identifier, priority, attempts, locked_by, run_at > now() as later";
  return (await pool.query(`select ${columns} from graphile_worker.jobs order by key`)).rows;
}

it("a job of a newer version is left to newer agents", async () => {
  const visits = new Visits();
  const run = engine(visits, { concurrency: () => 2 });
  await pool.query(
    "select graphile_worker.add_job('visit.2', '{\"of\":\"the future\"}', job_key := 'visit:new', run_at := now() - interval '1 hour')",
  );
  await work.jobs.plan(["edge", "core"], 0, "command");
  run.want(true);
  expect([...(await visits.count(2))].sort()).toEqual(["core", "edge"]);
  for (const end of visits.ends) end();
  await run.close();
  expect(await jobs()).toMatchObject([{ key: "visit:new", task_identifier: "visit.2", attempts: 0, locked_by: null }]);
  expect(failures).toEqual([]);
});

it("runs a user's request, a commit, a takeover and a retry before older timer visits", async () => {
  const timers = ["t0", "t1"];
  await work.jobs.plan(timers, 0, "timer");
  await work.jobs.plan(["retry"], 0, "timer", PRIORITY.retry);
  await work.jobs.plan(["takeover"], 0, "timer", PRIORITY.takeover);
  await work.jobs.plan(["commit"], 0, "git");
  await work.jobs.plan(["person"], 0, "plan");
  await work.jobs.plan(["t1"], 0, "webhook");
  await work.jobs.plan(["later"], 60_000, "plan");
  const visits = new Visits();
  engine(visits).want(true);
  for (let at = 0; at < 6; at++) {
    await visits.count(at + 1);
    visits.ends[at]?.();
  }
  expect(visits.begun.map(({ target }) => target)).toEqual(["person", "commit", "t1", "takeover", "retry", "t0"]);
});

it("visits a target that a commit changes before 1,000 due timer visits that do not run", async () => {
  const timers = Array.from({ length: 1_000 }, (_, at) => `t${at}`);
  await work.jobs.plan(timers, 0, "timer");
  const visits = new Visits();
  const run = engine(visits, { concurrency: () => 2 });
  run.want(true);
  const running = [...(await visits.count(2))];
  const pushed = timers.findLast((target) => !running.includes(target)) ?? "";
  await work.jobs.plan([pushed], 0, "git");
  visits.ends[0]?.();
  expect((await visits.count(3))[2]).toBe(pushed);
  run.want(false);
  for (const end of visits.ends) end();
  await run.close();
});

it("takes no jobs while they are not wanted, and the jobs of several runners when the concurrency grows", async () => {
  let concurrency = 1;
  const runners: string[] = [];
  const visits = new Visits();
  const run = engine(visits, { concurrency: () => concurrency, enter: async (runner) => void runners.push(runner) });
  await work.jobs.plan(["a", "b", "c"], 0, "timer");
  run.want(true);
  await visits.count(1);
  run.want(false);
  visits.ends[0]?.();
  concurrency = 2;
  run.want(true);
  await visits.count(3);
  expect(new Set(runners).size).toBe(2);
  for (const end of visits.ends) end();
  await run.close();
  expect(await jobs()).toEqual([]);
});

it("takes a further job when a target does not answer, and none above the concurrency when it answers", async () => {
  let silent = 0;
  let polled: () => void = () => undefined;
  const visits = new Visits();
  const run = engine(visits, {
    silent: () => {
      polled();
      return silent;
    },
  });
  const poll = () => new Promise<void>((done) => (polled = done));
  await work.jobs.plan(["mute", "second", "third"], 0, "timer");
  run.want(true);
  await visits.count(1);
  silent = 1;
  visits.freeSlots[0]?.();
  await visits.count(2);
  silent = 0;
  visits.ends[1]?.();
  for (let polls = 0; polls < 3; polls++) await poll();
  expect(visits.begun).toHaveLength(2);
  visits.ends[0]?.();
  await visits.count(3);
  visits.ends[2]?.();
});

it("makes the jobs of a killed agent available as takeovers when its member is removed, and only those", async () => {
  const dead = new Visits();
  const killed = engine(dead, {
    concurrency: () => 2,
    enter: async (runner) => void (await work.members.beat(MEMBER, [runner])),
    leave: async () => undefined,
  });
  await work.jobs.plan(["edge", "core"], 0, "timer");
  await work.jobs.plan(["edge"], 0, "reconcile");
  killed.want(true);
  await dead.count(2);
  killed.want(false);
  // Requested during the visit. It replaces the job of the visit.
  await work.jobs.plan(["core"], 0, "plan");
  const living = new Visits();
  engine(living, { concurrency: () => 3 }).want(true);
  await living.count(1);
  expect(living.begun).toEqual([{ target: "core", trigger: "plan" }]);
  await work.members.bury(0);
  await living.count(2);
  expect(living.begun[1]).toEqual({ target: "edge", trigger: "reconcile" });
  expect(await jobs()).toMatchObject([
    { key: "visit:core", priority: PRIORITY.person, attempts: 1 },
    { key: "visit:edge", priority: PRIORITY.person, attempts: 2 },
  ]);
  for (const { ends } of [dead, living]) for (const end of ends) end();
});

it("retries the job of a visit that fails", async () => {
  let isDown = true;
  const visits = new Visits();
  const run = engine(visits, {
    visit: async (job, freeSlot) => {
      if (isDown) throw new Error("the database is down");
      await visits.visit(job, freeSlot);
    },
    onFailure: (error) => {
      failures.push(error);
      isDown = false;
    },
  });
  await work.jobs.plan(["edge"], 0, "plan");
  run.want(true);
  await visits.count(1);
  expect(visits.begun).toEqual([{ target: "edge", trigger: "plan" }]);
  expect(failures).toMatchObject([{ message: "the database is down" }]);
  visits.ends[0]?.();
});

it("does not read the file crontab of the working folder", async () => {
  const read = vi.spyOn(promises, "readFile");
  const visits = new Visits();
  try {
    await work.jobs.plan(["edge"], 0, "timer");
    engine(visits).want(true);
    await visits.count(1);
    expect(read.mock.calls.filter(([path]) => String(path).endsWith("crontab"))).toEqual([]);
  } finally {
    read.mockRestore();
    visits.ends[0]?.();
  }
});

it("closes after its running visits have ended, including one that has given up its slot", async () => {
  const order: string[] = [];
  const visits = new Visits();
  const run = engine(visits, {
    visit: async (job, freeSlot) => {
      await visits.visit(job, freeSlot);
      order.push("visited");
    },
  });
  await work.jobs.plan(["edge"], 0, "timer");
  run.want(true);
  await visits.count(1);
  visits.freeSlots[0]?.();
  const closing = run.close().then(() => order.push("closed"));
  while ((await jobs()).length > 0);
  visits.ends[0]?.();
  await closing;
  expect(order).toEqual(["visited", "closed"]);
});

it("uses no private table of graphile-worker, which may change with any version", () => {
  const files = readdirSync("src/agent", { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  expect(files).toContain("store/shared/jobs.ts");
  expect(files.filter((file) => readFileSync(join("src/agent", file), "utf8").includes("_private_"))).toEqual([]);
});
