import type { Kysely, Selectable } from "kysely";
import type { Database } from "./database.js";
import { ofRepository } from "./of-repository.js";
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
        await release(transaction, target, repository);
        await transaction
          .insertInto("repository_holds")
          .values({ repository: repository ?? "", target, ...values })
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
    get: (target) => database.read(async (db) => (await found(db, repository, target)).at(0)),
    all: () => database.read((db) => found(db, repository, undefined)),
    release: (target) => database.write((transaction) => release(transaction, target, repository)),
  };
}

async function release(db: Kysely<Schema>, target: string, repository: string | undefined): Promise<void> {
  await db.deleteFrom("repository_holds").where("target", "=", target).where(ofRepository(repository)).execute();
}

/** Returns the holds by target. A row of this repository takes precedence over one of an older version. */
async function found(db: Kysely<Schema>, repository: string | undefined, target: string | undefined): Promise<readonly Hold[]> {
  const all = db.selectFrom("repository_holds").selectAll().where(ofRepository(repository));
  const rows = await (target === undefined ? all : all.where("target", "=", target)).orderBy("repository").execute();
  const holds = new Map(rows.map((row) => [row.target, holdOf(row)]));
  return [...holds.values()].sort((a, b) => (a.target < b.target ? -1 : 1));
}

function holdOf({ target, commit_sha, attempts, next_try, reason, at }: Selectable<Schema["repository_holds"]>): Hold {
  return { target, commit: commit_sha, attempts, nextTry: next_try ?? undefined, reason, at };
}
