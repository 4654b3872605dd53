import { type Kysely, type Migration, Migrator } from "kysely";
import { PlumblineError } from "../../core/errors.js";
import type { Backend } from "./backend.js";
import { memory } from "./migrations/0001-memory.js";
import { ledger } from "./migrations/0002-ledger.js";
import { leases } from "./migrations/0003-leases.js";
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
};

/**
 * Brings a store to the newest version, or to `version`, in one transaction; of two processes that come at once, one waits.
 * @throws PlumblineError `store-newer`
 */
export async function migrate({ db, place, whileMigrating }: Migrated, version?: string): Promise<void> {
  const done = await applied(db);
  refuseNewer(done, place);
  if (isCurrent(done)) return;
  const bringUpToDate = async (patient: Kysely<Schema>): Promise<void> => {
    const migrator = migratorOf(patient);
    const { error } = version === undefined ? await migrator.migrateToLatest() : await migrator.migrateTo(version);
    if (error !== undefined) throw error;
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

async function applied(db: Kysely<Schema>): Promise<readonly string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === "kysely_migration")) return [];
  const rows = await db.withTables<{ kysely_migration: { name: string } }>().selectFrom("kysely_migration").select("name").execute();
  return rows.map(({ name }) => name);
}

function migratorOf(db: Kysely<Schema>): Migrator {
  return new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } });
}
