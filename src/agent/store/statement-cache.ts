import type { SqliteDatabase, SqliteStatement } from "kysely";

/** Part of the libsql connection that is used. */
interface Connection {
  readonly inTransaction: boolean;
  prepare(sql: string): unknown;
  close(): unknown;
}

const STATEMENTS = 200;

/**
 * Prepares each SQL text once. libsql frees a statement only in garbage collection, which does not count its 4 KB outside the heap. With a
 * new statement per query, a process grew by 750 MB in 200,000 queries (docs/contributing/decisions.md#9-sqlite-through-libsql-and-kysely-postgresql-with-the-same-queries).
 */
export class StatementCache implements SqliteDatabase {
  readonly #connection: Connection;
  readonly #statements = new Map<string, SqliteStatement>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  prepare(sql: string): SqliteStatement {
    if (sql === "rollback" && !this.#connection.inTransaction) return nothingToDo;
    const text = lockEarly(sql);
    const known = this.#statements.get(text);
    if (known !== undefined) {
      this.#statements.delete(text);
      this.#statements.set(text, known);
      return known;
    }
    const statement = this.#connection.prepare(text) as SqliteStatement;
    this.#statements.set(text, statement);
    if (this.#statements.size > STATEMENTS) {
      const [oldest] = this.#statements.keys();
      if (oldest !== undefined) this.#statements.delete(oldest);
    }
    return statement;
  }

  close(): void {
    this.#statements.clear();
    this.#connection.close();
  }
}

/** Without an early lock, a transaction that reads before it writes would fail immediately if another process has written in between. */
function lockEarly(sql: string): string {
  return sql === "begin" ? "begin immediate" : sql;
}

/** SQLite rolls back automatically after some errors. A second rollback would hide the first error. */
const nothingToDo: SqliteStatement = {
  reader: false,
  all: () => [],
  run: () => ({ changes: 0, lastInsertRowid: 0 }),
  iterate: () => [][Symbol.iterator](),
};
