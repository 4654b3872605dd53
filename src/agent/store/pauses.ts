import type { Database } from "./database.js";
import { insertRow } from "./rows.js";
import type { Pauses } from "./store.js";

const ALL = "";

export function pausesOf(database: Database): Pauses {
  const { repository } = database.backend;
  return {
    pause: (pause) =>
      database.write(async (transaction) => {
        const { reason, by, since, target = ALL } = pause;
        const values = { reason, by, since, until: pause.until ?? null };
        await transaction
          .insertInto("pauses")
          .values({ target, ...values })
          .onConflict((conflict) => conflict.column("target").doUpdateSet(values))
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
        const gone = await transaction.deleteFrom("pauses").where("target", "=", target).returning("reason").executeTakeFirst();
        if (gone === undefined) return false;
        await insertRow(transaction, { kind: "resume", at: now, target, author: by, summary: `was paused: ${gone.reason}`, repository });
        return true;
      }),
    active: (now) =>
      database.read(async (db) => {
        const rows = await db
          .selectFrom("pauses")
          .selectAll()
          .where((where) => where.or([where("until", "is", null), where("until", ">", now)]))
          .orderBy("target")
          .execute();
        return rows.map(({ target, reason, by, since, until }) => ({
          target: target === ALL ? undefined : target,
          reason,
          by,
          since,
          until: until ?? undefined,
        }));
      }),
  };
}
