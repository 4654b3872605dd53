import type { Database } from "./database.js";
import { insertRow } from "./rows.js";
import type { Sources } from "./store.js";

export function sourcesOf(database: Database): Sources {
  const { repository } = database.backend;
  return {
    lastGood: (source) =>
      database.read(async (db) => {
        const row = await db.selectFrom("sources").selectAll().where("source", "=", source).executeTakeFirst();
        if (row === undefined || row.commit_sha === null || row.accepted === null) return undefined;
        return { source, commit: row.commit_sha, at: row.accepted };
      }),
    accept: ({ source, commit, at }) =>
      database.write(async (transaction) => {
        const before = await transaction.selectFrom("sources").select("commit_sha").where("source", "=", source).executeTakeFirst();
        if (before?.commit_sha === commit) return;
        const values = { commit_sha: commit, accepted: at, refused: null };
        await transaction
          .insertInto("sources")
          .values({ source, ...values })
          .onConflict((conflict) => conflict.column("source").doUpdateSet(values))
          .execute();
        const summary = `${commit.slice(0, 12)} is active`;
        await insertRow(transaction, { kind: "commit", at, outcome: "accepted", summary, detail: { source, commit }, repository });
      }),
    refuse: ({ source, commit, author, code, message, at }) =>
      database.write(async (transaction) => {
        const before = await transaction.selectFrom("sources").select("refused").where("source", "=", source).executeTakeFirst();
        if (before?.refused === commit) return;
        await transaction
          .insertInto("sources")
          .values({ source, commit_sha: null, accepted: null, refused: commit })
          .onConflict((conflict) => conflict.column("source").doUpdateSet({ refused: commit }))
          .execute();
        const summary = `${commit.slice(0, 12)}: ${message}`;
        await insertRow(transaction, {
          kind: "commit",
          at,
          author,
          outcome: "refused",
          summary,
          detail: { source, commit, code },
          repository,
        });
      }),
  };
}
