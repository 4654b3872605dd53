import type { Selectable } from "kysely";
import type { Approval } from "../../engine/pause.js";
import type { Database } from "./database.js";
import { ofRepository } from "./of-repository.js";
import { insertRow } from "./rows.js";
import type { Schema } from "./schema.js";
import type { Approvals } from "./store.js";

export function approvalsOf(database: Database): Approvals {
  const { repository } = database.backend;
  return {
    approve: (approval) =>
      database.write(async (transaction) => {
        const { target, digest, by, at } = approval;
        const source = approval.source ?? null;
        const { numInsertedOrUpdatedRows } = await transaction
          .insertInto("repository_approvals")
          .values({ repository: repository ?? "", target, digest, by, at, source })
          .onConflict((conflict) => conflict.columns(["target", "digest", "repository"]).doNothing())
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
          .selectFrom("repository_approvals")
          .selectAll()
          .where("target", "=", target)
          .where("digest", "=", digest)
          .where(ofRepository(repository))
          .orderBy("repository", "desc")
          .limit(1)
          .executeTakeFirst();
        return row && approvalOf(row);
      }),
    allowances: (target) =>
      database.read(async (db) => {
        const rows = db.selectFrom("repository_approvals").selectAll().where("target", "=", target).where("digest", "like", "% %");
        return (await rows.where(ofRepository(repository)).execute()).map(approvalOf);
      }),
    withdraw: (target, digest) =>
      database.write(async (transaction) => {
        const { numDeletedRows } = await transaction
          .deleteFrom("repository_approvals")
          .where("target", "=", target)
          .where("digest", "=", digest)
          .where(ofRepository(repository))
          .executeTakeFirstOrThrow();
        return numDeletedRows > 0n;
      }),
  };
}

function approvalOf({ target, digest, by, at, source }: Selectable<Schema["repository_approvals"]>): Approval {
  return { target, digest, by, at, source: source ?? undefined };
}
