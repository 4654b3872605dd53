import type { Database } from "./database.js";
import type { SignOuts } from "./store.js";

export function signOutsOf(database: Database): SignOuts {
  return {
    add: ({ session, until }, now) =>
      database.write(async (transaction) => {
        await transaction.deleteFrom("sign_outs").where("until", "<=", now).execute();
        await transaction
          .insertInto("sign_outs")
          .values({ session, until })
          .onConflict((conflict) => conflict.column("session").doNothing())
          .execute();
      }),
    has: async (session) =>
      (await database.read((db) => db.selectFrom("sign_outs").select("until").where("session", "=", session).executeTakeFirst())) !==
      undefined,
    all: (now) => database.read((db) => db.selectFrom("sign_outs").selectAll().where("until", ">", now).execute()),
  };
}
