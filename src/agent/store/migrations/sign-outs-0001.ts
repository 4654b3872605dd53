import type { Kysely } from "kysely";

/** Creates the table of page sessions that were closed before their end (docs/page.md). */
export async function signOuts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("sign_outs")
    .addColumn("session", "text", (column) => column.primaryKey())
    .addColumn("until", "bigint", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("sign_outs_by_end").on("sign_outs").column("until").execute();
}
