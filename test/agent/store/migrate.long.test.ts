import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Kysely, sql } from "kysely";
import { expect, it } from "vitest";
import type { StoreLocation } from "../../../src/agent/store/location.js";
import { migrate, migrations } from "../../../src/agent/store/migrate.js";
import { openStore } from "../../../src/agent/store/open.js";
import { openPostgres } from "../../../src/agent/store/postgres.js";
import type { Schema } from "../../../src/agent/store/schema.js";
import { openSqlite } from "../../../src/agent/store/sqlite.js";
import { onEachDatabase } from "./each-database.js";
import { addressPath, end, start, T0 } from "./passes.js";

const VERSIONS = fileURLToPath(new URL("versions/", import.meta.url));
const names = Object.keys(migrations);

/** The database without the store, so that it can be put into an older state. */
function connect(location: StoreLocation) {
  return location.kind === "sqlite"
    ? openSqlite(location.file, { readOnly: false })
    : openPostgres(location.url.reveal(), { readOnly: false });
}

/** Data of a store of that version, as that version wrote it. */
async function fill(db: Kysely<Schema>, version: string): Promise<void> {
  const statements = readFileSync(`${VERSIONS}${version}.sql`, "utf8").split(/;\n/);
  for (const statement of statements) if (statement.trim() !== "") await sql.raw(statement).execute(db);
}

it("has rows of each released version, and migrations are named by position", () => {
  expect(readdirSync(VERSIONS).sort()).toEqual(names.map((name) => `${name}.sql`));
  expect([...names].sort()).toEqual(names);
});

onEachDatabase("a store of an older version", (database) => {
  it.each(names)("of %s is updated without loss", async (version) => {
    const location = await database.fresh();
    const backend = connect(location);
    await migrate(backend, version);
    await fill(backend.db, version);
    await backend.close();
    const isReadable = version === names.at(-1);
    const reading = openStore(location, { readOnly: true });
    if (isReadable) await (await reading).close();
    else await expect(reading).rejects.toMatchObject({ code: "store-older" });

    const store = await database.open(location);
    expect((await store.history.find({ limit: 10 })).entries.map(({ kind }) => kind)).toEqual(["pause", "drift", "pass"]);
    expect(await store.drift.open()).toMatchObject([{ target: "edge", path: addressPath("web"), author: "alice", firstSeen: T0 + 900 }]);
    expect(await store.plans.get("edge", "d1")).toMatchObject({ operations: 1, changes: { differs: 1 }, commitOnly: false });
    expect(await store.pauses.active(T0)).toMatchObject([{ target: "edge", by: "bob" }]);
    expect(await store.approvals.get("edge", "d1")).toMatchObject({ by: "alice" });
    expect(await store.holds.get("edge")).toMatchObject({ commit: "c0ffee", attempts: 2, nextTry: undefined });
    expect(await store.sources.lastGood("origin")).toMatchObject({ commit: "c0ffee" });
    expect(await store.marks.get("edge")).toMatchObject({ live: "l1", skips: 3 });
    expect(await store.notifications.last("chat", "edge")).toMatchObject({ state: "drifted" });
    const ledger = await store.ledger.read("netops", "edge");
    expect(ledger.state).toBe(version === "0001-memory" ? "missing" : "present");

    expect(await store.signOuts.all(T0)).toEqual([]);
    expect([await store.traffic.of("edge"), await store.traffic.targets()]).toEqual([undefined, []]);

    const id = await store.passes.record(start("core"), end());
    expect(id).toBeGreaterThan(3);
  });

  it("is not touched by a version that does not know it", async () => {
    const location = await database.fresh();
    await database.open(location);
    const backend = connect(location);
    await sql`insert into kysely_migration (name, timestamp) values ('9999-later', '2030-01-01')`.execute(backend.db);
    await backend.close();
    for (const readOnly of [true, false])
      await expect(openStore(location, { readOnly })).rejects.toMatchObject({
        code: "store-newer",
        message: expect.stringContaining("9999-later"),
      });
  });

  it("is not written by a running process of an older version after the upgrade", async () => {
    const location = await database.fresh();
    const store = await database.open(location);
    await store.passes.record(start("edge", T0), end(T0 + 5));
    const backend = connect(location);
    for (const table of ["plans", "pauses", "approvals", "notifications"])
      await expect(sql`select * from ${sql.table(table)}`.execute(backend.db), table).rejects.toThrow(table);
    await sql`insert into kysely_migration (name, timestamp) values ('9999-later', '2030-01-01')`.execute(backend.db);
    const newer = { code: "store-newer", message: expect.stringContaining("9999-later") };
    await expect(store.passes.start(start("edge", T0))).rejects.toMatchObject(newer);
    await expect(store.prune({ age: 1, rows: 1, batch: 1 }, T0)).rejects.toMatchObject(newer);
    await sql`drop table repository_pauses`.execute(backend.db);
    await expect(store.pauses.active(T0)).rejects.toMatchObject(newer);
    await backend.close();
  });

  it("has no traffic before any is stored, and stays readable for versions without traffic", async () => {
    const location = await database.fresh();
    // A file has one agent.
    const stores = await Promise.all((location.kind === "sqlite" ? [1] : [1, 2, 3]).map(() => database.open(location)));
    for (const { traffic } of stores) await Promise.all([traffic.expire(T0), traffic.forget("edge")]);
    const took = await Promise.all(stores.map(({ traffic }) => traffic.take("edge", 7, T0, 60_000)));
    expect(took.filter((isDue) => isDue)).toHaveLength(1);
    for (const { traffic } of stores) expect(await traffic.targets()).toEqual(["edge"]);
    const backend = connect(location);
    const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(backend.db);
    expect(rows.map(({ name }) => name)).toEqual(names);
    // The sign-outs are in tables of their own, so an older agent does not refuse the store.
    expect((await sql`select session from sign_outs`.execute(backend.db)).rows).toEqual([]);
    await sql`insert into traffic_migration (name, timestamp) values ('9999-later', '2030-01-01')`.execute(backend.db);
    await backend.close();
    const store = await database.open(location);
    await expect(store.traffic.take("edge", 7, T0, 60_000)).rejects.toMatchObject({ code: "store-newer" });
    // The rest of the store is let go of as before.
    await store.passes.record(start("edge", T0), end(T0 + 5));
    expect(await store.prune({ age: 1, rows: 1, batch: 10 }, T0 + 1_000)).toBe(false);
    expect((await store.history.find({ limit: 1 })).entries).toEqual([]);
  });

  it("is created once by several processes", async () => {
    const location = await database.fresh();
    const stores = await Promise.all([1, 2, 3, 4].map(() => database.open(location)));
    await Promise.all(stores.map((store, i) => store.passes.start(start(`t${i}`))));
    expect((await stores[0]?.history.find({ limit: 10 }))?.entries).toHaveLength(4);
  });

  it("stays unchanged when a step fails", async () => {
    const location = await database.fresh();
    const backend = connect(location);
    await migrate(backend, "0001-memory");
    await sql`create table ledgers (in_the_way integer)`.execute(backend.db);
    await expect(migrate(backend)).rejects.toThrow(/ledgers/);
    await sql`drop table ledgers`.execute(backend.db);
    await migrate(backend);
    await backend.close();
  });
});
