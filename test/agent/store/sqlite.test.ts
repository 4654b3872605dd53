import { mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import Database from "libsql";
import { afterEach, beforeEach, expect, it } from "vitest";
import { storeOn } from "../../../src/agent/store/database-store.js";
import { migrate } from "../../../src/agent/store/migrate.js";
import { openStore } from "../../../src/agent/store/open.js";
import { copySqlite, openSqlite } from "../../../src/agent/store/sqlite.js";
import { drifted, end, start, T0 } from "./passes.js";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plumbline-sqlite-"));
  file = join(folder, "state/plumbline.db");
});
afterEach(() => rmSync(folder, { recursive: true }));

it("reports a full disk, keeps its data, and continues when there is space", async () => {
  const backend = openSqlite(file, { readOnly: false });
  await migrate(backend);
  const store = storeOn(backend);
  const id = await store.passes.start(start());
  const { page_count: pages } = (await sql<{ page_count: number }>`pragma page_count`.execute(backend.db)).rows[0] ?? { page_count: 0 };
  await sql`pragma max_page_count = ${sql.lit(pages + 20)}`.execute(backend.db);
  const items = Array.from({ length: 2_000 }, (_, i) => drifted(`h${i}`));
  await expect(store.passes.finish(id, end(T0, { drift: { items } }))).rejects.toMatchObject({ code: "store-full" });
  await expect(store.passes.finish(id, end(T0, { drift: { items } }))).rejects.toMatchObject({ code: "store-full" });
  expect((await store.history.find({ limit: 10 })).entries).toMatchObject([{ id, outcome: undefined }]);
  expect(await store.drift.open()).toEqual([]);
  await sql`pragma max_page_count = 1000000`.execute(backend.db);
  await store.passes.finish(id, end(T0, { drift: { items } }));
  expect(await store.drift.open()).toHaveLength(2_000);
  await store.close();
});

it("can be copied in use, and the copy is complete", async () => {
  const store = await openStore({ kind: "sqlite", file }, { readOnly: false });
  const plan = { digest: "d1", changes: { differs: 1 }, operations: 1, refusals: 0, commitOnly: false, json: "{}" };
  await store.passes.record(start(), end(T0, { drift: { items: [drifted("web")] }, plan }));
  await store.approvals.approve({ target: "edge", digest: "d1", by: "ann", at: T0, source: undefined });
  await store.pauses.pause({ target: "edge", reason: "work", by: "ann", since: T0, until: undefined });
  const open = await store.passes.start(start());
  copySqlite(file, join(folder, "state/copy.db"));
  await store.passes.finish(open, end(T0 + 1));
  const before = await store.history.find({ limit: 100 });
  await store.close();
  const elsewhere = await openStore({ kind: "sqlite", file: join(folder, "state/copy.db") }, { readOnly: false });
  const { entries } = await elsewhere.history.find({ limit: 100 });
  expect(entries.filter(({ id }) => id !== open)).toEqual(before.entries.filter(({ id }) => id !== open));
  expect(entries).toContainEqual(expect.objectContaining({ id: open, outcome: undefined }));
  expect(await elsewhere.drift.open("edge")).toHaveLength(1);
  expect(await elsewhere.plans.get("edge", "d1")).toMatchObject(plan);
  expect(await elsewhere.approvals.get("edge", "d1")).toMatchObject({ by: "ann" });
  expect(await elsewhere.pauses.active(T0)).toHaveLength(1);
  expect(await elsewhere.passes.start(start())).toBeGreaterThan(open);
  await elsewhere.close();
});

it("waits for another process's write, then reports that it is busy", async () => {
  const backend = openSqlite(file, { readOnly: false });
  await migrate(backend);
  const store = storeOn(backend, 50);
  const patient = await openStore({ kind: "sqlite", file }, { readOnly: false });
  const other = new Database(file);
  other.exec("begin immediate");
  await expect(store.passes.start(start())).rejects.toMatchObject({ code: "store-busy" });
  expect((await store.history.find({ limit: 10 })).entries).toEqual([]);
  const waiting = patient.passes.start(start());
  await new Promise((done) => setImmediate(done));
  other.exec("commit");
  other.close();
  expect(await waiting).toBeGreaterThan(0);
  await patient.close();
  await store.close();
});

it("reports a damaged file, or a file that is no database", async () => {
  const store = await openStore({ kind: "sqlite", file }, { readOnly: false });
  for (let i = 0; i < 200; i++) await store.passes.record(start(), end(T0, { drift: { items: [drifted(`h${i}`)] } }));
  await store.close();
  truncateSync(file, Math.floor(statSync(file).size / 8192) * 4096);
  const damaged = async () => {
    const again = await openStore({ kind: "sqlite", file }, { readOnly: false });
    try {
      await again.history.find({ limit: 1_000 });
    } finally {
      await again.close();
    }
  };
  await expect(damaged()).rejects.toMatchObject({ code: "store-damaged" });
  const text = join(folder, "notes.txt");
  writeFileSync(text, "this is no database, and long enough that nobody could take it for an empty one".repeat(20));
  await expect(openStore({ kind: "sqlite", file: text }, { readOnly: false })).rejects.toMatchObject({ code: "store-damaged" });
});

it("cannot be created in place of a file", async () => {
  const inTheWay = join(folder, "state");
  writeFileSync(inTheWay, "");
  await expect(openStore({ kind: "sqlite", file }, { readOnly: false })).rejects.toMatchObject({ code: "store-unwritable" });
});

it("is readable only by its owner", async () => {
  const store = await openStore({ kind: "sqlite", file }, { readOnly: false });
  await store.passes.start(start());
  for (const name of ["", "-wal", "-shm"]) expect(statSync(`${file}${name}`).mode & 0o777).toBe(0o600);
  await store.close();
});

it("is not modified by readers", async () => {
  await expect(openStore({ kind: "sqlite", file }, { readOnly: true })).rejects.toMatchObject({ code: "store-missing" });
  await (await openStore({ kind: "sqlite", file }, { readOnly: false })).close();
  const reader = await openStore({ kind: "sqlite", file }, { readOnly: true });
  await expect(reader.passes.start(start())).rejects.toMatchObject({ code: "store-unwritable" });
  await reader.close();
});

it("has every commit on disk before it reports it", async () => {
  const backend = openSqlite(file, { readOnly: false });
  expect((await sql`pragma journal_mode`.execute(backend.db)).rows).toEqual([{ journal_mode: "wal" }]);
  expect((await sql`pragma synchronous`.execute(backend.db)).rows).toEqual([{ synchronous: 2 }]);
  await backend.close();
});
