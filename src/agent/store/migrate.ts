import { type Kysely, type Migration, Migrator, PostgresAdapter, sql } from "kysely";
import { PlumblineError } from "../../core/errors.js";
import type { Backend } from "./backend.js";
import { memory } from "./migrations/0001-memory.js";
import { ledger } from "./migrations/0002-ledger.js";
import { leases } from "./migrations/0003-leases.js";
import { traffic } from "./migrations/0004-traffic.js";
import type { Schema } from "./schema.js";

/**
 * Forward only, oldest first. One that was released is never edited: change the schema by a new one.
 *
 * @internal Exported for tests that begin with an older store.
 */
export const migrations: Readonly<Record<string, Migration>> = {
  "0001-memory": { up: memory },
  "0002-ledger": { up: ledger },
  "0003-leases": { up: leases },
  "0004-traffic": { up: traffic },
};

/**
 * Brings a store to the newest version, or to `version`, in one transaction; of two processes that come at once, one waits.
 * @throws PlumblineError `store-newer`
 */
export async function migrate({ db, place, whileMigrating }: Migrated, version?: string): Promise<void> {
  const done = await applied(db);
  refuseNewer(done, place);
  if (isCurrent(done)) return;
  // The migrator looks at all tables of the database first, and fails where one is dropped meanwhile: somebody who came at the same time
  // may be done with ours by now, and be making those of the job queue.
  const bringUpToDate = async (patient: Kysely<Schema>, tries = 5): Promise<void> => {
    if (isCurrent(await applied(patient))) return;
    const migrator = migratorOf(patient);
    const { error } = version === undefined ? await migrator.migrateToLatest() : await migrator.migrateTo(version);
    if (error === undefined) return;
    if (!isTableGone(error) || tries === 0) throw error;
    await bringUpToDate(patient, tries - 1);
  };
  await (whileMigrating?.(bringUpToDate) ?? bringUpToDate(db));
}

type Migrated = Pick<Backend, "db" | "place" | "whileMigrating">;

/** For those who only read. @throws PlumblineError `store-newer`, `store-older` */
export async function expectCurrent(db: Kysely<Schema>, place: string): Promise<void> {
  const done = await applied(db);
  refuseNewer(done, place);
  if (isCurrent(done)) return;
  throw new PlumblineError("store-older", `The store ${place} was made by an older version of Plumbline.`, {
    next: "Start the agent of this version: it brings the store up to date and loses nothing.",
  });
}

function isCurrent(done: readonly string[]): boolean {
  return Object.keys(migrations).every((name) => done.includes(name));
}

function refuseNewer(done: readonly string[], place: string): void {
  const unknown = done.find((name) => migrations[name] === undefined);
  if (unknown === undefined) return;
  throw new PlumblineError("store-newer", `The store ${place} was made by a newer version of Plumbline (it has ${unknown}).`, {
    next: "Use that version or a later one; a store is never taken back to an older form.",
  });
}

/** PostgreSQL: undefined_table. */
function isTableGone(error: unknown): boolean {
  return (error as { readonly code?: unknown }).code === "42P01";
}

async function applied(db: Kysely<Schema>): Promise<readonly string[]> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  const { rows: tables } = isPostgres
    ? await sql`select 1 where to_regclass('kysely_migration') is not null`.execute(db)
    : await sql`select 1 from sqlite_master where name = 'kysely_migration'`.execute(db);
  if (tables.length === 0) return [];
  const rows = await db.withTables<{ kysely_migration: { name: string } }>().selectFrom("kysely_migration").select("name").execute();
  return rows.map(({ name }) => name);
}

function migratorOf(db: Kysely<Schema>): Migrator {
  return new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } });
}
