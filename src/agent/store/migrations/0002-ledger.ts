import type { Kysely } from "kysely";

/**
 * Creates the ledgers (docs/ownership.md#the-ledger). A ledger is replaced completely, and only if its version has not changed since
 * the writer read it.
 */
export async function ledger(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("ledgers")
    .addColumn("owner", "text", (column) => column.notNull())
    .addColumn("target", "text", (column) => column.notNull())
    .addColumn("version", "bigint", (column) => column.notNull())
    .addColumn("text", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("ledgers_key", ["owner", "target"])
    .execute();
  await db.schema.createIndex("ledgers_by_target").on("ledgers").column("target").execute();
}
