import { type Kysely, sql } from "kysely";

/**
 * Adds the repository to marks, holds and members, because the projects of one user share the store in the state folder and can use the
 * same name for different targets. Earlier rows have an empty one, and count for every repository.
 */
export async function repositories(db: Kysely<unknown>): Promise<void> {
  // SQLite cannot change the primary key of a table.
  await db.schema.alterTable("marks").renameTo("marks_4").execute();
  await db.schema
    .createTable("marks")
    .addColumn("repository", "text", (column) => column.notNull())
    .addColumn("target", "text", (column) => column.notNull())
    .addColumn("commit_sha", "text")
    .addColumn("inputs", "text", (column) => column.notNull())
    .addColumn("live", "text", (column) => column.notNull())
    .addColumn("version", "text", (column) => column.notNull())
    .addColumn("skips", "integer", (column) => column.notNull())
    .addColumn("until", "text")
    .addPrimaryKeyConstraint("marks_key", ["target", "repository"])
    .execute();
  await sql`insert into marks (repository, target, commit_sha, inputs, live, version, skips, until)
    select '', target, commit_sha, inputs, live, version, skips, until from marks_4`.execute(db);
  await db.schema.dropTable("marks_4").execute();
  await db.schema.alterTable("holds").renameTo("holds_4").execute();
  await db.schema
    .createTable("holds")
    .addColumn("repository", "text", (column) => column.notNull())
    .addColumn("target", "text", (column) => column.notNull())
    .addColumn("commit_sha", "text", (column) => column.notNull())
    .addColumn("attempts", "integer", (column) => column.notNull())
    .addColumn("next_try", "bigint")
    .addColumn("reason", "text", (column) => column.notNull())
    .addColumn("at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("holds_key", ["target", "repository"])
    .execute();
  await sql`insert into holds (repository, target, commit_sha, attempts, next_try, reason, at)
    select '', target, commit_sha, attempts, next_try, reason, at from holds_4`.execute(db);
  await db.schema.dropTable("holds_4").execute();
  await db.schema.alterTable("members").addColumn("repository", "text").execute();
}
