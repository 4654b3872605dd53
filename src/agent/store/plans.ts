import type { Transaction } from "kysely";
import { redactUrls } from "../../core/redact-urls.js";
import type { Database } from "./database.js";
import type { PassRow } from "./drift.js";
import { ofRepository } from "./of-repository.js";
import type { Schema } from "./schema.js";
import type { PlanRecord, Plans } from "./store.js";

export function plansOf(database: Database): Plans {
  const { repository } = database.backend;
  return {
    get: (target, digest) =>
      database.read(async (db) => {
        const rows = db.selectFrom("repository_plans").selectAll().where("target", "=", target).where("digest", "=", digest);
        const row = await rows.where(ofRepository(repository)).orderBy("repository", "desc").limit(1).executeTakeFirst();
        if (row === undefined) return undefined;
        const { planned, operations, refusals } = row;
        const changes = JSON.parse(row.changes) as Record<string, number>;
        return { digest, planned, changes, operations, refusals, commitOnly: row.commit_only === 1, json: row.json ?? undefined };
      }),
    beginning: (target, start) =>
      database.read(async (db) => {
        const plans = db.selectFrom("repository_plans").select("digest").where("target", "=", target).where(ofRepository(repository));
        const rows = await plans.distinct().execute();
        return rows.map(({ digest }) => digest).filter((digest) => digest.startsWith(start));
      }),
  };
}

/** Stores a plan. Returns true if the target already has it as its newest plan. */
export async function keepPlan(
  transaction: Transaction<Schema>,
  { target, repository }: Pick<PassRow, "target" | "repository">,
  plan: PlanRecord,
  planned: number,
): Promise<boolean> {
  const newest = await transaction
    .selectFrom("repository_plans")
    .select("digest")
    .where("target", "=", target)
    .where(ofRepository(repository))
    .orderBy("planned", "desc")
    .limit(1)
    .executeTakeFirst();
  const { digest, operations, refusals, json } = plan;
  await transaction
    .insertInto("repository_plans")
    .values({
      repository: repository ?? "",
      target,
      digest,
      planned,
      changes: JSON.stringify(plan.changes),
      operations,
      refusals,
      commit_only: plan.commitOnly ? 1 : 0,
      json: json === undefined ? null : redactUrls(json).replaceAll("\\u0000", "�"),
    })
    .onConflict((conflict) =>
      conflict
        .columns(["target", "digest", "repository"])
        .doUpdateSet((kept) => ({ planned, refusals: kept.ref("excluded.refusals"), json: kept.ref("excluded.json") })),
    )
    .execute();
  return newest?.digest === digest;
}
