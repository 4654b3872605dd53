import { Kysely, SqliteDialect } from "kysely";
import Sqlite from "libsql";
import type { Backend, Lock } from "../../src/agent/store/backend.js";
import { storeOn } from "../../src/agent/store/database-store.js";
import { migrate } from "../../src/agent/store/migrate.js";
import type { Schema } from "../../src/agent/store/schema.js";
import { StatementCache } from "../../src/agent/store/statement-cache.js";
import type { Store } from "../../src/agent/store/store.js";
import type { Process } from "./scheduler.js";

/** Host and folder of the second agent. Hosts consist of `[a-z0-9]`, as in `Machine`. */
export const SECOND_AGENT = "second";

/** The agents' real store, on an in-memory database that outlives the simulated processes. One database serves all histories. */
export class MemoryStore {
  readonly #sqlite: Sqlite.Database;
  readonly #backend: Backend;
  #holder: Process | undefined;
  /** Store of the second agent. */
  #second: MemoryStore | undefined;

  private constructor(sqlite: Sqlite.Database) {
    this.#sqlite = sqlite;
    const db = new Kysely<Schema>({ dialect: new SqliteDialect({ database: new StatementCache(sqlite) }) });
    this.#backend = { place: "memory", db, lock: async () => undefined, bytes: async () => 0, close: async () => undefined };
  }

  static async open(): Promise<MemoryStore> {
    const [store, second] = [new MemoryStore(new Sqlite(":memory:")), new MemoryStore(new Sqlite(":memory:"))];
    await migrate(store.#backend);
    await migrate(second.#backend);
    store.#second = second;
    return store;
  }

  /** As it was made. */
  empty(): void {
    this.#second?.empty();
    this.#holder = undefined;
    const tables = this.#sqlite.prepare("select name from sqlite_master where type = 'table'").all() as { name: string }[];
    for (const { name } of tables) {
      if (!name.startsWith("sqlite_") && !name.startsWith("kysely_")) this.#sqlite.exec(`delete from "${name}"`);
      if (name === "sqlite_sequence") this.#sqlite.exec("delete from sqlite_sequence");
    }
  }

  /** For one process; its lock is gone when that was killed. */
  of(process: Process | undefined): Store {
    if (process?.host === SECOND_AGENT && this.#second !== undefined) return this.#second.of(process);
    const lock = async (): Promise<Lock | undefined> => {
      if (this.#holder?.isAlive === true) return undefined;
      this.#holder = process;
      return {
        lost: new AbortController().signal,
        release: async () => {
          this.#holder = undefined;
        },
      };
    };
    return storeOn({ ...this.#backend, lock });
  }
}
