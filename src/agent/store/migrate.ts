import { type Kysely, type Migration, Migrator, PostgresAdapter, sql } from "kysely";
import { PlumblineError } from "../../core/errors.js";
import type { Backend } from "./backend.js";
import { memory } from "./migrations/0001-memory.js";
import { ledger } from "./migrations/0002-ledger.js";
import { leases } from "./migrations/0003-leases.js";
import { repository } from "./migrations/0004-repository.js";
import { repositories } from "./migrations/0005-repositories.js";
import { separateProjects } from "./migrations/0006-separate-projects.js";
import { signOuts } from "./migrations/sign-outs-0001.js";
import { traffic } from "./migrations/traffic-0001.js";
import type { Schema } from "./schema.js";

/**
 * Forward only, oldest first. A released migration is never edited: add a new one to change the schema.
 * @internal Exported for tests that start with an older store.
 */
export const migrations: Readonly<Record<string, Migration>> = {
  "0001-memory": { up: memory },
  "0002-ledger": { up: ledger },
  "0003-leases": { up: leases },
  "0004-repository": { up: repository },
  "0005-repositories": { up: repositories },
  "0006-separate-projects": { up: separateProjects },
};

/** Migrations that run together, and the table that records them. */
interface Line {
  readonly migrations: Readonly<Record<string, Migration>>;
  readonly table: string;
}

const MEMORY: Line = { migrations, table: "kysely_migration" };
/** In a table of its own, because older agents refuse a store with an unknown name in the first table, and they do not need this one. */
const SIGN_OUTS: Line = { migrations: { "0001-sign-outs": { up: signOuts } }, table: "sign_out_migration" };
/** Created when traffic is first stored. Older versions can use a store without it. */
const TRAFFIC: Line = { migrations: { "0001-traffic": { up: traffic } }, table: "traffic_migration" };

/**
 * Brings a store to the newest version, or only its first tables to `version`. If two processes do this at once, one waits.
 * @throws PlumblineError `store-newer`
 */
export async function migrate(store: Migrated, version?: string): Promise<void> {
  await bringUpToDate(store, MEMORY, version);
  if (version === undefined) await bringUpToDate(store, SIGN_OUTS);
}

/** Creates the tables of kept traffic. @throws PlumblineError `store-newer` */
export async function makeTraffic(store: Migrated): Promise<void> {
  await bringUpToDate(store, TRAFFIC);
}

/** Returns true if the store has ever kept traffic. @throws PlumblineError `store-newer` */
export async function hasTraffic({ db, place }: Migrated): Promise<boolean> {
  const done = await applied(db, TRAFFIC);
  refuseNewer(done, place, TRAFFIC);
  return isCurrent(done, TRAFFIC);
}

async function bringUpToDate({ db, place, whileMigrating }: Migrated, line: Line, version?: string): Promise<void> {
  const done = await applied(db, line);
  refuseNewer(done, place, line);
  if (isCurrent(done, line)) return;
  // The migrator lists all tables of the database first, and fails if one is dropped at the same time. Another agent that started
  // together with this one may do that while it creates the tables of the job queue.
  const work = async (patient: Kysely<Schema>, tries = 5): Promise<void> => {
    if (isCurrent(await applied(patient, line), line)) return;
    const migrator = migratorOf(patient, line);
    const { error } = version === undefined ? await migrator.migrateToLatest() : await migrator.migrateTo(version);
    if (error === undefined) return;
    if (!isTableMissing(error) || tries === 0) throw error;
    await work(patient, tries - 1);
  };
  await (whileMigrating?.(work) ?? work(db));
}

type Migrated = Pick<Backend, "db" | "place" | "whileMigrating">;

/** Checks a store for readers, which need no sign-outs. @throws PlumblineError `store-newer`, `store-older` */
export async function expectCurrent(db: Kysely<Schema>, place: string): Promise<void> {
  const done = await applied(db, MEMORY);
  refuseNewer(done, place, MEMORY);
  if (isCurrent(done, MEMORY)) return;
  throw new PlumblineError("store-older", `The store ${place} was made by an older version of Plumbline.`, {
    next: "Start the agent of this version: it upgrades the store without loss.",
  });
}

/** Checks a store that is in use. @throws PlumblineError `store-newer` if another process has upgraded it since it was opened */
export async function expectKnown({ db, place }: Pick<Backend, "db" | "place">): Promise<void> {
  refuseNewer(await applied(db, MEMORY), place, MEMORY);
}

function isCurrent(done: readonly string[], line: Line): boolean {
  return Object.keys(line.migrations).every((name) => done.includes(name));
}

function refuseNewer(done: readonly string[], place: string, line: Line): void {
  const unknown = done.find((name) => line.migrations[name] === undefined);
  if (unknown === undefined) return;
  throw new PlumblineError("store-newer", `The store ${place} was made by a newer version of Plumbline (it has ${unknown}).`, {
    next: "Use that version or a later one. A store cannot be downgraded.",
  });
}

/** PostgreSQL: undefined_table. */
function isTableMissing(error: unknown): boolean {
  return (error as { readonly code?: unknown }).code === "42P01";
}

async function applied(db: Kysely<Schema>, { table }: Line): Promise<readonly string[]> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  const { rows: tables } = isPostgres
    ? await sql`select 1 where to_regclass(${table}) is not null`.execute(db)
    : await sql`select 1 from sqlite_master where name = ${table}`.execute(db);
  if (tables.length === 0) return [];
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(table)}`.execute(db);
  return rows.map(({ name }) => name);
}

function migratorOf(db: Kysely<Schema>, { migrations: all, table }: Line): Migrator {
  const names = { migrationTableName: table, migrationLockTableName: `${table}_lock` };
  return new Migrator({ db, provider: { getMigrations: async () => ({ ...all }) }, ...names });
}
