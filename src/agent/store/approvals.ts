import type { Database } from "./database.js";
import { insertRow } from "./rows.js";
import type { Approvals } from "./store.js";

export function approvalsOf(database: Database): Approvals {
  const { repository } = database.backend;
  return {
    approve: (approval) =>
      database.write(async (transaction) => {
        const { target, digest, by, at } = approval;
        const source = approval.source ?? null;
        const { numInsertedOrUpdatedRows } = await transaction
          .insertInto("approvals")
          .values({ target, digest, by, at, source })
          .onConflict((conflict) => conflict.columns(["target", "digest"]).doNothing())
          .executeTakeFirstOrThrow();
        if (numInsertedOrUpdatedRows === 0n) return;
        // The digest contains flags, so this is an override. The agent adds it to the history itself.
        if (digest.includes(" ")) return;
        const summary = `plan ${digest.slice(0, 12)} approved`;
        await insertRow(transaction, {
          kind: "approval",
          at,
          target,
          author: by,
          summary,
          detail: { digest, source: approval.source },
          repository,
        });
      }),
    get: (target, digest) =>
      database.read(async (db) => {
        const row = await db
          .selectFrom("approvals")
          .selectAll()
          .where("target", "=", target)
          .where("digest", "=", digest)
          .executeTakeFirst();
        return row === undefined ? undefined : { ...row, source: row.source ?? undefined };
      }),
    allowances: (target) =>
      database.read(async (db) => {
        const rows = await db.selectFrom("approvals").selectAll().where("target", "=", target).where("digest", "like", "% %").execute();
        return rows.map((row) => ({ ...row, source: row.source ?? undefined }));
      }),
    withdraw: (target, digest) =>
      database.write(async (transaction) => {
        const { numDeletedRows } = await transaction
          .deleteFrom("approvals")
          .where("target", "=", target)
          .where("digest", "=", digest)
          .executeTakeFirstOrThrow();
        return numDeletedRows > 0n;
      }),
  };
}
