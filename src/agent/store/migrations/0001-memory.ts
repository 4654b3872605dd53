import { type Kysely, sql } from "kysely";
import { type Columns, columnsOf } from "./columns.js";

/** Creates the history and the state that an agent needs after a restart. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: tables one after the other; a migration that ran stays as it is.
export async function memory(db: Kysely<unknown>): Promise<void> {
  const columns = columnsOf(db);
  await history(db, columns);
  await db.schema
    .createTable("plans")
    .addColumn("target", "text", (column) => column.notNull())
    .addColumn("digest", "text", (column) => column.notNull())
    .addColumn("planned", "bigint", (column) => column.notNull())
    .addColumn("changes", "text", (column) => column.notNull())
    .addColumn("operations", "integer", (column) => column.notNull())
    .addColumn("refusals", "integer", (column) => column.notNull())
    .addColumn("commit_only", "integer", (column) => column.notNull())
    .addColumn("json", "text")
    .addPrimaryKeyConstraint("plans_key", ["target", "digest"])
    .execute();
  await db.schema.createIndex("plans_by_target").on("plans").columns(["target", "planned"]).execute();
  await db.schema.createIndex("plans_by_time").on("plans").column("planned").execute();
  await db.schema
    .createTable("pauses")
    .addColumn("target", "text", (column) => column.primaryKey())
    .addColumn("reason", "text", (column) => column.notNull())
    .addColumn("by", "text", (column) => column.notNull())
    .addColumn("since", "bigint", (column) => column.notNull())
    .addColumn("until", "bigint")
    .execute();
  await db.schema
    .createTable("approvals")
    .addColumn("target", "text", (column) => column.notNull())
    .addColumn("digest", "text", (column) => column.notNull())
    .addColumn("by", "text", (column) => column.notNull())
    .addColumn("at", "bigint", (column) => column.notNull())
    .addColumn("source", "text")
    .addPrimaryKeyConstraint("approvals_key", ["target", "digest"])
    .execute();
  await db.schema
    .createTable("holds")
    .addColumn("target", "text", (column) => column.primaryKey())
    .addColumn("commit_sha", "text", (column) => column.notNull())
    .addColumn("attempts", "integer", (column) => column.notNull())
    .addColumn("next_try", "bigint")
    .addColumn("reason", "text", (column) => column.notNull())
    .addColumn("at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("sources")
    .addColumn("source", "text", (column) => column.primaryKey())
    .addColumn("commit_sha", "text")
    .addColumn("accepted", "bigint")
    .addColumn("refused", "text")
    .execute();
  await db.schema
    .createTable("marks")
    .addColumn("target", "text", (column) => column.primaryKey())
    .addColumn("commit_sha", "text")
    .addColumn("inputs", "text", (column) => column.notNull())
    .addColumn("live", "text", (column) => column.notNull())
    .addColumn("version", "text", (column) => column.notNull())
    .addColumn("skips", "integer", (column) => column.notNull())
    .addColumn("until", "text")
    .execute();
  await db.schema
    .createTable("notifications")
    .addColumn("channel", "text", (column) => column.notNull())
    .addColumn("subject", "text", (column) => column.notNull())
    .addColumn("state", "text", (column) => column.notNull())
    .addColumn("at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("notifications_key", ["channel", "subject"])
    .execute();
  await db.schema
    .createTable("agents")
    .addColumn("role", "text", (column) => column.primaryKey())
    .addColumn("host", "text", (column) => column.notNull())
    .addColumn("hostname", "text", (column) => column.notNull())
    .addColumn("pid", "integer", (column) => column.notNull())
    .addColumn("started", "bigint", (column) => column.notNull())
    .addColumn("version", "text", (column) => column.notNull())
    .execute();
}

function isOpen(kind: "drift" | "pass") {
  return sql<boolean>`kind || '' = ${sql.lit(kind)} and ended is null`;
}

async function history(db: Kysely<unknown>, columns: Columns): Promise<void> {
  await db.schema
    .createTable("history")
    .addColumn("id", columns.identityType, columns.identity)
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("at", "bigint", (column) => column.notNull())
    .addColumn("ended", "bigint")
    .addColumn("seen", "bigint")
    .addColumn("target", "text", (column) => column.notNull())
    .addColumn("pass", "bigint")
    .addColumn("path", columns.bytewise)
    .addColumn("author", "text")
    .addColumn("outcome", "text")
    .addColumn("summary", "text", (column) => column.notNull())
    .addColumn("detail", "text", (column) => column.notNull())
    .addColumn("runner", "text")
    .execute();
  const index = (name: string, of: string[]) => db.schema.createIndex(name).on("history").columns(of);
  await index("history_by_time", ["at", "id"]).execute();
  await index("history_by_target", ["target", "at", "id"]).execute();
  await index("history_by_kind", ["kind", "at", "id"]).execute();
  await index("history_by_target_and_kind", ["target", "kind", "at", "id"]).execute();
  await index("history_by_author", ["author", "at", "id"]).where(sql.ref("author"), "is not", null).execute();
  await index("history_by_path", ["path", "at", "id"]).where(sql.ref("path"), "is not", null).execute();
  // The condition matches the queries. An index on kind would read all past drift.
  await index("history_open_drift", ["target", "at", "id"]).where(isOpen("drift")).execute();
  await index("history_running", ["runner"]).where(isOpen("pass")).execute();
}
