import type { Kysely } from "kysely";

/** Ledgers (docs/ownership.md#the-ledger), each replaced whole and only at the version that its writer read. */
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
