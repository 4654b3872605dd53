import type { Kysely, Selectable } from "kysely";
import type { Pause } from "../../engine/pause.js";
import type { Database } from "./database.js";
import { ofRepository } from "./of-repository.js";
import { insertRow } from "./rows.js";
import type { Schema } from "./schema.js";
import type { Pauses } from "./store.js";

const ALL = "";

export function pausesOf(database: Database): Pauses {
  const { repository } = database.backend;
  return {
    pause: (pause) =>
      database.write(async (transaction) => {
        const { reason, by, since, target = ALL } = pause;
        const values = { target, reason, by, since, until: pause.until ?? null };
        await release(transaction, target, repository);
        await transaction
          .insertInto("repository_pauses")
          .values({ repository: repository ?? "", ...values })
          .execute();
        await insertRow(transaction, {
          kind: "pause",
          at: since,
          target,
          author: by,
          summary: reason,
          detail: { until: pause.until },
          repository,
        });
      }),
    resume: (target = ALL, by, now) =>
      database.write(async (transaction) => {
        const released = await release(transaction, target, repository);
        if (released === undefined) return false;
        await insertRow(transaction, {
          kind: "resume",
          at: now,
          target,
          author: by,
          summary: `was paused: ${released.reason}`,
          repository,
        });
        return true;
      }),
    active: (now) =>
      database.read(async (db) => {
        const rows = await db
          .selectFrom("repository_pauses")
          .selectAll()
          .where(ofRepository(repository))
          .where((where) => where.or([where("until", "is", null), where("until", ">", now)]))
          .orderBy("target")
          .orderBy("repository")
          .execute();
        // A pause of this repository takes precedence over one of an older version.
        return [...new Map(rows.map((row) => [row.target, pauseOf(row)])).values()];
      }),
  };
}

/** Deletes the pause of a target. Returns it, if there was one. */
async function release(db: Kysely<Schema>, target: string, repository: string | undefined): Promise<{ reason: string } | undefined> {
  const rows = db.deleteFrom("repository_pauses").where("target", "=", target).where(ofRepository(repository));
  return await rows.returning("reason").executeTakeFirst();
}

function pauseOf({ target, reason, by, since, until }: Selectable<Schema["repository_pauses"]>): Pause {
  return { target: target === ALL ? undefined : target, reason, by, since, until: until ?? undefined };
}
