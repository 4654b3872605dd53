import type { Kysely } from "kysely";
import type { Database } from "./database.js";
import type { Schema } from "./schema.js";
import type { Mark, Marks } from "./store.js";

export function marksOf(database: Database): Marks {
  return {
    get: (target) =>
      database.read(async (db) => {
        const row = await db.selectFrom("marks").selectAll().where("target", "=", target).executeTakeFirst();
        if (row === undefined) return undefined;
        const { inputs, live, version, skips } = row;
        return { target, commit: row.commit_sha ?? undefined, inputs, live, version, skips, until: row.until ?? undefined };
      }),
    set: (mark) => database.write((transaction) => setMark(transaction, mark.target, mark)),
  };
}

export async function setMark(db: Kysely<Schema>, target: string, mark: Mark | null): Promise<void> {
  if (mark === null) {
    await db.deleteFrom("marks").where("target", "=", target).execute();
    return;
  }
  const { inputs, live, version, skips } = mark;
  const values = { commit_sha: mark.commit ?? null, inputs, live, version, skips, until: mark.until ?? null };
  await db
    .insertInto("marks")
    .values({ target, ...values })
    .onConflict((conflict) => conflict.column("target").doUpdateSet(values))
    .execute();
}
