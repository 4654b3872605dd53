import type { Kysely, Selectable } from "kysely";
import type { Database } from "./database.js";
import { ofRepository } from "./of-repository.js";
import type { MarksTable, Schema } from "./schema.js";
import type { Mark, Marks } from "./store.js";

export function marksOf(database: Database): Marks {
  const { repository } = database.backend;
  return {
    get: (target) =>
      database.read(async (db) => {
        const rows = db.selectFrom("repository_marks").selectAll().where("target", "=", target);
        const row = await rows.where(ofRepository(repository)).orderBy("repository", "desc").limit(1).executeTakeFirst();
        return row === undefined ? undefined : markOf(row);
      }),
    set: (mark) => database.write((transaction) => setMark(transaction, mark.target, repository, mark)),
  };
}

export async function setMark(db: Kysely<Schema>, target: string, repository: string | undefined, mark: Mark | null): Promise<void> {
  await db.deleteFrom("repository_marks").where("target", "=", target).where(ofRepository(repository)).execute();
  if (mark !== null)
    await db
      .insertInto("repository_marks")
      .values({ ...rowOf(mark), repository: repository ?? "", target })
      .execute();
}

function markOf({ target, commit_sha, inputs, live, version, skips, until }: Selectable<MarksTable>): Mark {
  return { target, commit: commit_sha ?? undefined, inputs, live, version, skips, until: until ?? undefined };
}

function rowOf({ commit, inputs, live, version, skips, until }: Mark): Omit<Selectable<MarksTable>, "repository" | "target"> {
  return { commit_sha: commit ?? null, inputs, live, version, skips, until: until ?? null };
}
