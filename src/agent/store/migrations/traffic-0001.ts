import type { Kysely } from "kysely";
import { columnsOf } from "./columns.js";

/** Creates the tables of stored traffic logs (docs/insight.md#kept-traffic). */
export async function traffic(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("traffic")
    .addColumn("target", "text", (column) => column.primaryKey())
    .addColumn("keep", "bigint", (column) => column.notNull())
    .addColumn("next", "bigint", (column) => column.notNull())
    .addColumn("failure", "text")
    .execute();
  await db.schema
    .createTable("traffic_logs")
    .addColumn("target", "text", (column) => column.notNull())
    .addColumn("box", "text", (column) => column.notNull())
    .addColumn("version", "bigint", (column) => column.notNull())
    .addColumn("mark", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("traffic_logs_key", ["target", "box"])
    .execute();
  await db.schema
    .createTable("traffic_hours")
    .addColumn("target", "text", (column) => column.notNull())
    .addColumn("box", "text", (column) => column.notNull())
    .addColumn("hour", "text", (column) => column.notNull())
    .addColumn("ends", "bigint", (column) => column.notNull())
    .addColumn("flows", "integer", (column) => column.notNull())
    .addColumn("data", columnsOf(db).bytes, (column) => column.notNull())
    .addPrimaryKeyConstraint("traffic_hours_key", ["target", "box", "hour"])
    .execute();
  await db.schema.createIndex("traffic_hours_by_end").on("traffic_hours").columns(["target", "ends"]).execute();
}
