import type { Kysely } from "kysely";

/** Creates the shared state of agents and of targets between visits (docs/many-machines.md). */
export async function leases(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("leases")
    .addColumn("target", "text", (column) => column.primaryKey())
    .addColumn("holder", "text", (column) => column.notNull())
    .addColumn("fence", "bigint", (column) => column.notNull())
    .addColumn("expires", "bigint", (column) => column.notNull())
    .addColumn("free", "bigint", (column) => column.notNull())
    .addColumn("wanted", "text")
    .addColumn("pending", "text")
    .addColumn("wave", "integer")
    .addColumn("touched", "text")
    .addColumn("state", "text", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("leases_by_holder").on("leases").column("holder").execute();
  await db.schema.createIndex("leases_by_wave").on("leases").column("wave").execute();
  await db.schema
    .createTable("members")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("host", "text", (column) => column.notNull())
    .addColumn("hostname", "text", (column) => column.notNull())
    .addColumn("pid", "integer", (column) => column.notNull())
    .addColumn("started", "bigint", (column) => column.notNull())
    .addColumn("version", "text", (column) => column.notNull())
    .addColumn("seen", "bigint", (column) => column.notNull())
    .addColumn("gone_after", "bigint", (column) => column.notNull())
    .addColumn("worker", "text")
    .execute();
  await db.schema
    .createTable("in_force")
    .addColumn("source", "text", (column) => column.primaryKey())
    .addColumn("commit_sha", "text")
    .addColumn("wave", "integer")
    .execute();
}
