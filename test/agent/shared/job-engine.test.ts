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
    visit: async ({ target }) => {
      visited.push(target);
      if (visited.length === 2) done();
    },
    unlock: (worker) => work.members.unlock(worker),
    onFailure: (error) => failures.push(error),
  });
  await pool.query(
    "select graphile_worker.add_job('visit.2', '{\"of\":\"the future\"}', job_key := 'visit:new', run_at := now() - interval '1 hour')",
  );
  await work.jobs.plan(["edge", "core"], 0, "command");
  engine.want(true);
  await both;
  await engine.close();
  const { rows } = await pool.query("select task_identifier, attempts, locked_by from graphile_worker.jobs");
  expect(rows).toEqual([{ task_identifier: "visit.2", attempts: 0, locked_by: null }]);
  expect(visited.sort()).toEqual(["core", "edge"]);
  expect(failures).toEqual([]);
  await pool.end();
});
