import type { Selectable } from "kysely";
import type { Database } from "./database.js";
import { ofRepository } from "./of-repository.js";
import type { Schema } from "./schema.js";
import type { Notifications, Notified } from "./store.js";

export function notificationsOf(database: Database): Notifications {
  const { repository } = database.backend;
  return {
    last: (channel, subject) =>
      database.read(async (db) => {
        const rows = db.selectFrom("repository_notifications").selectAll().where("channel", "=", channel).where("subject", "=", subject);
        const row = await rows.where(ofRepository(repository)).orderBy("repository", "desc").limit(1).executeTakeFirst();
        return row && notifiedOf(row);
      }),
    all: (channel) =>
      database.read(async (db) => {
        const rows = db.selectFrom("repository_notifications").selectAll().where("channel", "=", channel);
        const found = await rows.where(ofRepository(repository)).orderBy("repository").execute();
        // A row of this repository takes precedence over one of an older version.
        return [...new Map(found.map((row) => [row.subject, notifiedOf(row)])).values()];
      }),
    sent: ({ channel, subject, state, at }) =>
      database.write(async (transaction) => {
        await transaction
          .insertInto("repository_notifications")
          .values({ repository: repository ?? "", channel, subject, state, at })
          .onConflict((conflict) => conflict.columns(["channel", "subject", "repository"]).doUpdateSet({ state, at }))
          .execute();
      }),
  };
}

function notifiedOf({ channel, subject, state, at }: Selectable<Schema["repository_notifications"]>): Notified {
  return { channel, subject, state, at };
}
