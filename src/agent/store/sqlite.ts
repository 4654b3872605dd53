import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { Kysely, SqliteAdapter, SqliteDialect } from "kysely";
import Database from "libsql";
import { PlumblineError } from "../../core/errors.js";
import type { Backend, Lock } from "./backend.js";
import type { Schema } from "./schema.js";
import { StatementCache } from "./statement-cache.js";

export interface SqliteOptions {
  /** Only look: the file must be there, and nothing can be written. */
  readonly readOnly: boolean;
}

/** Open locks: a connection that nobody holds is closed by the garbage collector, and its lock gone. */
const held = new Set<Database.Database>();

/**
 * SQLite in a file: write-ahead log, each transaction on disk before it resolves (`synchronous = FULL`).
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

/** With what has not been moved from the log to the file yet. */
async function bytesOf(file: string): Promise<number> {
  const [store, log] = await Promise.all([stat(file), stat(`${file}-wal`).catch(() => undefined)]);
  return store.size + (log?.size ?? 0);
}

/** In SQLite, too, changes of the schema are undone with their transaction. */
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

/** Milliseconds; only for the first processes of a new store, which all want to set its mode. */
const START = 5_000;

/** Later on others' writes are waited for in `Database`, where the event loop goes on meanwhile, and not in SQLite. */
function connect(file: string, { readOnly }: SqliteOptions): Database.Database {
  const database = new Database(file, { timeout: START });
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  database.pragma("journal_size_limit = 67108864");
  database.pragma("busy_timeout = 0");
  if (readOnly) database.pragma("query_only = ON");
  return database;
}

/** What networks look like is nobody else's business: the file is its owner's alone. */
function createPrivate(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  if (!existsSync(file)) closeSync(openSync(file, "a", 0o600));
  else chmodSync(file, 0o600);
}

/**
 * An open exclusive transaction on an empty database beside the store. The kernel drops the lock with the process, however
 * that ends, so there is no stale lock to judge.
 */
function lockFile(file: string): Lock | undefined {
  createPrivate(file);
  const database = new Database(file);
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
