import type { Pool } from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { systemClock } from "../../../src/agent/clock.js";
import { JobEngine } from "../../../src/agent/shared/job-engine.js";
import { openStore } from "../../../src/agent/store/open.js";
import type { Store } from "../../../src/agent/store/store.js";
import { SecretValue } from "../../../src/core/secret.js";
import { startPostgres, type TestPostgres } from "../store/postgres.js";

let server: TestPostgres;
let store: Store;
beforeAll(async () => {
  server = await startPostgres();
  store = await openStore({ kind: "postgres", url: new SecretValue(await server.createDatabase(), "url") }, { readOnly: false });
});
afterAll(async () => {
  await store.close();
  await server.stop();
});

it("a job of a newer version is left to newer agents", async () => {
  const work = store.shared;
  if (work === undefined) throw new Error("not shared");
  await work.prepare();
  const pool = work.pool(4);
  const visited: string[] = [];
  let done: () => void = () => undefined;
  const both = new Promise<void>((resolve) => {
    done = resolve;
  });
  const failures: unknown[] = [];
  const engine = new JobEngine({
    pool,
    clock: systemClock,
    concurrency: () => 2,
    take: (most) => work.leases.takeDue(most, "agent", "source", { length: 60_000, request: 5_000, others: {} }),
    visit: async ({ grant, job }) => {
      visited.push(grant.target);
      const release = { state: "{}", applied: true, leavesWave: false, next: 60_000, trigger: "timer" };
      await work.leases.release(grant, { ...release, job });
      if (visited.length === 2) done();
    },
    onFailure: (error) => failures.push(error),
  });
  await pool.query(
    "select graphile_worker.add_job('visit.2', '{\"of\":\"the future\"}', job_key := 'visit:new', run_at := now() - interval '1 hour')",
  );
  await work.jobs.plan(["edge", "core"], 0, "command");
  engine.want(true);
  await both;
  await engine.close();
  const { rows } = await pool.query(
    "select key, task_identifier, attempts, locked_by, run_at > now() as later from graphile_worker.jobs order by key",
  );
  const visit = { task_identifier: "visit.1", attempts: 0, locked_by: null, later: true };
  expect(rows).toEqual([
    { ...visit, key: "visit:core" },
    { ...visit, key: "visit:edge" },
    { ...visit, key: "visit:new", task_identifier: "visit.2", later: false },
  ]);
  expect(visited.sort()).toEqual(["core", "edge"]);
  expect(failures).toEqual([]);
  await pool.end();
});

/** Returns due jobs that the test prepared. A poll for more than that returns none. */
class Queue {
  readonly due: string[] = [];
  readonly looks: number[] = [];
  readonly ended: (() => void)[] = [];
  #looked: (() => void)[] = [];

  engine(pool: Pool, concurrency: number) {
    return new JobEngine<string>({
      pool,
      clock: systemClock,
      concurrency: () => concurrency,
      take: async (most) => {
        this.looks.push(most);
        for (const each of this.#looked.splice(0)) each();
        return this.due.splice(0, most);
      },
      visit: () => new Promise((end) => void this.ended.push(end)),
      onFailure: (error) => {
        throw error;
      },
    });
  }

  nextLook(): Promise<void> {
    return new Promise((done) => this.#looked.push(done));
  }
}

it("polls again immediately if as many were due as there were slots, and if a visit was planned meanwhile", async () => {
  const work = store.shared;
  if (work === undefined) throw new Error("not shared");
  const pool = work.pool(2);
  const queue = new Queue();
  queue.due.push("a", "b", "c");
  const engine = queue.engine(pool, 2);
  let look = queue.nextLook();
  engine.want(true);
  await look;
  expect(queue.looks[0]).toBe(2);
  look = queue.nextLook();
  queue.ended.shift()?.();
  await look;
  expect(queue.due).toEqual([]);
  // Rescheduled during its visit. Only the visitor can take it after it is returned.
  await pool.query("select pg_notify('jobs:insert', '')");
  for (const end of queue.ended.splice(0)) end();
  queue.due.push("c");
  while (queue.ended.length === 0) await queue.nextLook();
  queue.ended[0]?.();
  await engine.close();
  await pool.end();
});

it("closes after its running visits have ended", async () => {
  const work = store.shared;
  if (work === undefined) throw new Error("not shared");
  const pool = work.pool(2);
  const order: string[] = [];
  const [looked, due, begun, ended] = [later(), later(), later(), later()] as const;
  const engine = new JobEngine<string>({
    pool,
    clock: systemClock,
    concurrency: () => 1,
    take: async () => {
      looked.come();
      await due.came;
      return ["a"];
    },
    visit: async () => {
      begun.come();
      await ended.came;
      order.push("visited");
    },
    onFailure: (error) => {
      throw error;
    },
  });
  engine.want(true);
  await looked.came;
  const closing = engine.close().then(() => order.push("closed"));
  due.come();
  await begun.came;
  // One round trip to the database. A caller without other pending work has finished by then.
  await pool.query("select 1");
  ended.come();
  await closing;
  expect(order).toEqual(["visited", "closed"]);
  await pool.end();
});

function later() {
  let come: () => void = () => undefined;
  const came = new Promise<void>((done) => {
    come = done;
  });
  return { came, come: () => come() };
}
