import { type ColumnDefinitionBuilder, type Kysely, PostgresAdapter, type RawBuilder, sql } from "kysely";

/** Differences in the SQL of the two databases. */
export interface Columns {
  readonly identityType: "bigserial" | "integer";
  readonly identity: (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;
  /** Text type that sorts by bytes, so that all paths below an XPath are one range of the index. */
  readonly bytewise: RawBuilder<unknown> | "text";
  readonly bytes: "blob" | "bytea";
}

const sqlite: Columns = {
  identityType: "integer",
  identity: (column) => column.primaryKey().autoIncrement(),
  bytewise: "text",
  bytes: "blob",
};

const postgres: Columns = {
  identityType: "bigserial",
  identity: (column) => column.primaryKey(),
  bytewise: sql`text collate "C"`,
  bytes: "bytea",
};

export function columnsOf(db: Kysely<unknown>): Columns {
  return db.getExecutor().adapter instanceof PostgresAdapter ? postgres : sqlite;
}
