import { type Kysely, sql } from "kysely";

/**
 * Adds marks and holds by repository, and the repository of members, because the projects of one user share the store in the state folder
 * and can use the same name for different targets. Earlier rows are copied with an empty repository, and count for every repository. Agents of
 * older versions that still run continue with the former tables.
 */
export async function repositories(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("repository_marks")
    .addColumn("repository", "text", (column) => column.notNull())
    .addColumn("target", "text", (column) => column.notNull())
    .addColumn("commit_sha", "text")
    .addColumn("inputs", "text", (column) => column.notNull())
    .addColumn("live", "text", (column) => column.notNull())
    .addColumn("version", "text", (column) => column.notNull())
    .addColumn("skips", "integer", (column) => column.notNull())
    .addColumn("until", "text")
    .addPrimaryKeyConstraint("repository_marks_key", ["target", "repository"])
    .execute();
  await sql`insert into repository_marks (repository, target, commit_sha, inputs, live, version, skips, until)
    select '', target, commit_sha, inputs, live, version, skips, until from marks`.execute(db);
  await db.schema
    .createTable("repository_holds")
    .addColumn("repository", "text", (column) => column.notNull())
    .addColumn("target", "text", (column) => column.notNull())
    .addColumn("commit_sha", "text", (column) => column.notNull())
    .addColumn("attempts", "integer", (column) => column.notNull())
    .addColumn("next_try", "bigint")
    .addColumn("reason", "text", (column) => column.notNull())
    .addColumn("at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("repository_holds_key", ["target", "repository"])
    .execute();
  await sql`insert into repository_holds (repository, target, commit_sha, attempts, next_try, reason, at)
    select '', target, commit_sha, attempts, next_try, reason, at from holds`.execute(db);
  await db.schema.alterTable("members").addColumn("repository", "text").execute();
}
