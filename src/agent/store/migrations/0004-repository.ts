import type { Kysely } from "kysely";

/** Adds the repository to the history, because the projects of one user share the store in the state folder. Earlier rows have none. */
export async function repository(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("history").addColumn("repository", "text").execute();
}
