import type { Kysely, Selectable } from "kysely";
import type { Database } from "./database.js";
import type { MarksTable, Schema } from "./schema.js";
import type { Mark, Marks } from "./store.js";

export function marksOf(database: Database): Marks {
  return {
    get: (target) =>
      database.read(async (db) => {
        const row = await db.selectFrom("marks").selectAll().where("target", "=", target).executeTakeFirst();
        return row === undefined ? undefined : markOf(row);
      }),
    set: (mark) => database.write((transaction) => setMark(transaction, mark.target, mark)),
  };
}

export async function setMark(db: Kysely<Schema>, target: string, mark: Mark | null): Promise<void> {
  if (mark === null) {
    await db.deleteFrom("marks").where("target", "=", target).execute();
    return;
  }
  const { target: _, ...values } = rowOf(mark);
  await db
    .insertInto("marks")
    .values({ target, ...values })
    .onConflict((conflict) => conflict.column("target").doUpdateSet(values))
    .execute();
}

function markOf({ target, commit_sha, inputs, live, version, skips, until }: Selectable<MarksTable>): Mark {
  return { target, commit: commit_sha ?? undefined, inputs, live, version, skips, until: until ?? undefined };
}

function rowOf({ target, commit, inputs, live, version, skips, until }: Mark): Selectable<MarksTable> {
  return { target, commit_sha: commit ?? null, inputs, live, version, skips, until: until ?? null };
}
