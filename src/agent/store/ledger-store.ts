import { sql } from "kysely";
import { type LedgerKey, type LedgerStore, targetsIn, VersionConflict, type Versioned } from "../../engine/ledger/store.js";
import type { Database } from "./database.js";
import { DATABASE_TIME } from "./shared/sql.js";

/** Ledgers in the store. */
export class DatabaseLedgerStore implements LedgerStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  describe(key: LedgerKey): string {
    return `ledger of ${key.owner} on ${key.target} in the store ${this.#database.backend.place}`;
  }

  async read({ owner, target }: LedgerKey): Promise<Versioned | undefined> {
    return await this.#database.read(async (db) => {
      const row = await db
        .selectFrom("ledgers")
        .select(["text", "version"])
        .where("owner", "=", owner)
        .where("target", "=", target)
        .executeTakeFirst();
      return row === undefined ? undefined : { text: row.text, version: String(row.version) };
    });
  }

  async write(key: LedgerKey, text: string, expected: string | undefined): Promise<string> {
    const version = expected === undefined ? 1 : Number(expected) + 1;
    const changed = await this.#database.write(async (transaction) => {
      if (expected === undefined) {
        const result = await transaction
          .insertInto("ledgers")
          .values({ ...key, version, text })
          .onConflict((conflict) => conflict.columns(["owner", "target"]).doNothing())
          .executeTakeFirstOrThrow();
        return result.numInsertedOrUpdatedRows;
      }
      const result = await transaction
        .updateTable("ledgers")
        .set({ version, text })
        .where("owner", "=", key.owner)
        .where("target", "=", key.target)
        .where("version", "=", Number(expected))
        .executeTakeFirstOrThrow();
      return result.numUpdatedRows;
    });
    if (changed !== 1n) throw new VersionConflict(this.describe(key));
    return String(version);
  }

  async clock(): Promise<number | undefined> {
    if (this.#database.backend.pool === undefined) return undefined;
    return await this.#database.read(async (db) => {
      const { rows } = await sql<{ now: number }>`select ${DATABASE_TIME} as now`.execute(db);
      return rows[0]?.now;
    });
  }

  async owners(target: string): Promise<readonly string[]> {
    return [...(await this.readAll(target)).keys()];
  }

  async targets(owner: string): Promise<readonly string[]> {
    return await this.#database.read(async (db) => {
      const rows = await db.selectFrom("ledgers").select("target").where("owner", "=", owner).execute();
      return targetsIn(rows.map(({ target }) => target));
    });
  }

  async readAll(target: string): Promise<ReadonlyMap<string, Versioned>> {
    return await this.#database.read(async (db) => {
      const ledgers = db.selectFrom("ledgers").select(["owner", "text", "version"]).where("target", "=", target);
      const rows = await ledgers.orderBy("owner").execute();
      return new Map(rows.map(({ owner, text, version }) => [owner, { text, version: String(version) }]));
    });
  }
}
