import type { Database } from "./database.js";
import type { Notifications } from "./store.js";

export function notificationsOf(database: Database): Notifications {
  return {
    last: (channel, subject) =>
      database.read((db) =>
        db.selectFrom("notifications").selectAll().where("channel", "=", channel).where("subject", "=", subject).executeTakeFirst(),
      ),
    all: (channel) => database.read((db) => db.selectFrom("notifications").selectAll().where("channel", "=", channel).execute()),
    sent: ({ channel, subject, state, at }) =>
      database.write(async (transaction) => {
        await transaction
          .insertInto("notifications")
          .values({ channel, subject, state, at })
          .onConflict((conflict) => conflict.columns(["channel", "subject"]).doUpdateSet({ state, at }))
          .execute();
      }),
  };
}
