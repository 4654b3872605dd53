import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { Kysely, SqliteAdapter, SqliteDialect } from "kysely";
import type Database from "libsql";
import { PlumblineError } from "../../core/errors.js";
import type { Backend, Lock } from "./backend.js";
import type { Schema } from "./schema.js";
import { StatementCache } from "./statement-cache.js";

/** A native module, so it is never part of a bundle. An `import` would load it when the program starts. */
const Sqlite = createRequire(import.meta.url)("libsql") as typeof Database;

export interface SqliteOptions {
  /** Read-only: the file must exist and is not written. */
  readonly readOnly: boolean;
}

/** References to open locks. Without a reference, the garbage collector closes the connection and releases its lock. */
const held = new Set<Database.Database>();

/**
 * Opens SQLite in a file with a write-ahead log. Each transaction is on disk before it resolves (`synchronous = FULL`).
 * @throws PlumblineError `store-missing`
 */
export function openSqlite(file: string, options: SqliteOptions): Backend {
  if (options.readOnly && !existsSync(file)) {
    throw new PlumblineError("store-missing", "There is no store yet: no agent has written one.", {
      where: { file },
      next: "Start `plumbline agent`, or name the state folder that it uses with --state.",
    });
  }
  if (!options.readOnly) createPrivate(file);
  const database = connect(file, options);
  const db = new Kysely<Schema>({ dialect: new TransactionalSqlite({ database: new StatementCache(database) }) });
  return { place: file, db, lock: async () => lockFile(`${file}-agent`), bytes: () => bytesOf(file), close: () => db.destroy() };
}

/** Includes data in the log that is not in the file yet. */
async function bytesOf(file: string): Promise<number> {
  const [store, log] = await Promise.all([stat(file), stat(`${file}-wal`).catch(() => undefined)]);
  return store.size + (log?.size ?? 0);
}

/** SQLite also rolls back schema changes with their transaction. */
class TransactionalSqlite extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new TransactionalAdapter();
  }
}

class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** Milliseconds. Only needed when several processes set the mode of a new store. */
const START = 5_000;

/**
 * After the start, `Database` waits for writes of other processes. The event loop runs during that wait, but not during a wait in SQLite.
 */
function connect(file: string, { readOnly }: SqliteOptions): Database.Database {
  const database = new Sqlite(file, { timeout: START });
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  database.pragma("journal_size_limit = 67108864");
  database.pragma("busy_timeout = 0");
  if (readOnly) database.pragma("query_only = ON");
  return database;
}

/** Copies a store in use to a new file. */
export function copySqlite(file: string, to: string): void {
  const database = new Sqlite(file, { timeout: START });
  try {
    database.exec(`vacuum into '${to.replaceAll("'", "''")}'`);
  } finally {
    database.close();
  }
  chmodSync(to, 0o600);
}

/** Only the owner can read the file, because it describes networks. */
function createPrivate(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  if (!existsSync(file)) closeSync(openSync(file, "a", 0o600));
  else chmodSync(file, 0o600);
}

/**
 * Locks with an open exclusive transaction on an empty database next to the store. The kernel releases the lock with the process, so there
 * are no stale locks.
 */
function lockFile(file: string): Lock | undefined {
  createPrivate(file);
  const database = new Sqlite(file);
  try {
    database.exec("begin exclusive");
  } catch (error) {
    database.close();
    if ((error as { code?: unknown }).code === "SQLITE_BUSY") return undefined;
    throw error;
  }
  held.add(database);
  return {
    lost: new AbortController().signal,
    async release() {
      if (!held.delete(database)) return;
      database.exec("rollback");
      database.close();
    },
  };
}
