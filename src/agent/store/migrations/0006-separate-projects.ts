import { type ColumnDefinitionBuilder, type Kysely, sql } from "kysely";

/**
 * Adds the repository to plans, pauses, approvals and notifications, because the projects of one user share the store in the state folder
 * and can use the same name for different targets. Earlier rows get an empty repository, and count for every repository. The former tables
 * are dropped: an agent of an older version that still runs could not see a pause, so its next statement fails, and it writes to no target.
 */
export async function separateProjects(db: Kysely<unknown>): Promise<void> {
  const required = (column: ColumnDefinitionBuilder): ColumnDefinitionBuilder => column.notNull();
  await db.schema
    .createTable("repository_plans")
    .addColumn("repository", "text", required)
    .addColumn("target", "text", required)
    .addColumn("digest", "text", required)
    .addColumn("planned", "bigint", required)
    .addColumn("changes", "text", required)
    .addColumn("operations", "integer", required)
    .addColumn("refusals", "integer", required)
    .addColumn("commit_only", "integer", required)
    .addColumn("json", "text")
    .addPrimaryKeyConstraint("repository_plans_key", ["target", "digest", "repository"])
    .execute();
  await db.schema
    .createTable("repository_pauses")
    .addColumn("repository", "text", required)
    .addColumn("target", "text", required)
    .addColumn("reason", "text", required)
    .addColumn("by", "text", required)
    .addColumn("since", "bigint", required)
    .addColumn("until", "bigint")
    .addPrimaryKeyConstraint("repository_pauses_key", ["target", "repository"])
    .execute();
  await db.schema
    .createTable("repository_approvals")
    .addColumn("repository", "text", required)
    .addColumn("target", "text", required)
    .addColumn("digest", "text", required)
    .addColumn("by", "text", required)
    .addColumn("at", "bigint", required)
    .addColumn("source", "text")
    .addPrimaryKeyConstraint("repository_approvals_key", ["target", "digest", "repository"])
    .execute();
  await db.schema
    .createTable("repository_notifications")
    .addColumn("repository", "text", required)
    .addColumn("channel", "text", required)
    .addColumn("subject", "text", required)
    .addColumn("state", "text", required)
    .addColumn("at", "bigint", required)
    .addPrimaryKeyConstraint("repository_notifications_key", ["channel", "subject", "repository"])
    .execute();
  const columns = {
    plans: ["target", "digest", "planned", "changes", "operations", "refusals", "commit_only", "json"],
    pauses: ["target", "reason", "by", "since", "until"],
    approvals: ["target", "digest", "by", "at", "source"],
    notifications: ["channel", "subject", "state", "at"],
  };
  for (const [table, names] of Object.entries(columns)) {
    const all = sql.join(names.map((name) => sql.ref(name)));
    await sql`insert into ${sql.table(`repository_${table}`)} (repository, ${all}) select '', ${all} from ${sql.table(table)}`.execute(db);
    await db.schema.dropTable(table).execute();
  }
  await db.schema.createIndex("repository_plans_by_target").on("repository_plans").columns(["target", "planned"]).execute();
  await db.schema.createIndex("repository_plans_by_time").on("repository_plans").column("planned").execute();
}
