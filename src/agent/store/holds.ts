import type { Selectable } from "kysely";
import type { Database } from "./database.js";
import { insertRow } from "./rows.js";
import type { Schema } from "./schema.js";
import type { Hold, Holds } from "./store.js";

export function holdsOf(database: Database): Holds {
  const { repository } = database.backend;
  return {
    hold: (hold) =>
      database.write(async (transaction) => {
        const { target, commit, attempts, nextTry, reason, at } = hold;
        const values = { commit_sha: commit, attempts, next_try: nextTry ?? null, reason, at };
        await transaction
          .insertInto("holds")
          .values({ target, ...values })
          .onConflict((conflict) => conflict.column("target").doUpdateSet(values))
          .execute();
        const outcome = nextTry === undefined ? "held" : "retry";
        await insertRow(transaction, {
          kind: "hold",
          at,
          target,
          outcome,
          summary: reason,
          detail: { commit, attempts, nextTry },
          repository,
        });
      }),
    get: (target) =>
      database.read(async (db) => {
        const row = await db.selectFrom("holds").selectAll().where("target", "=", target).executeTakeFirst();
        return row === undefined ? undefined : holdOf(row);
      }),
    all: () => database.read(async (db) => (await db.selectFrom("holds").selectAll().orderBy("target").execute()).map(holdOf)),
    release: (target) =>
      database.write(async (transaction) => {
        await transaction.deleteFrom("holds").where("target", "=", target).execute();
      }),
  };
}

function holdOf({ target, commit_sha, attempts, next_try, reason, at }: Selectable<Schema["holds"]>): Hold {
  return { target, commit: commit_sha, attempts, nextTry: next_try ?? undefined, reason, at };
}
