import { setImmediate } from "node:timers/promises";
import { sql, type Transaction } from "kysely";
import type { Database } from "./database.js";
import { expectKnown } from "./migrate.js";
import { ofRepository } from "./of-repository.js";
import type { Schema } from "./schema.js";
import type { Retention } from "./store.js";
import type { TrafficStore } from "./traffic.js";

export const defaultRetention: Retention = { age: 90 * 86_400_000, rows: 10_000, batch: 500 };

/** Maximum number of stored plans per target. They are displayed, and approved ones are applied. */
const PLANS = 20;
/** Milliseconds between two deletions of old traffic, which is stored by the hour. */
const TRAFFIC = 600_000;
/** Maximum number of targets per call. */
const TARGETS = 50;

/** Deletes in small batches and visits the targets in turn, so that no call blocks the database for long. */
export class Pruner {
  readonly #database: Database;
  readonly #traffic: Pick<TrafficStore, "expire">;
  /** Last target that was visited. Undefined before the first. */
  #after: string | undefined;
  #expired = Number.NEGATIVE_INFINITY;

  constructor(database: Database, traffic: Pick<TrafficStore, "expire">) {
    this.#database = database;
    this.#traffic = traffic;
  }

  /** Returns true if there may be more to delete. */
  async prune(retention: Retention, now: number): Promise<boolean> {
    await this.#database.reportingFailure(() => expectKnown(this.#database.backend));
    if (Math.abs(now - this.#expired) >= TRAFFIC) {
      await this.#traffic.expire(now);
      this.#expired = now;
    }
    const before = now - retention.age;
    const old = await this.#database.write((transaction) => deleteOld(transaction, before, retention.batch));
    if (old === retention.batch) return true;
    let left = retention.batch;
    for (let i = 0; i < TARGETS; i++) {
      const target = await this.#next();
      if (target === undefined) return false;
      const of = { target, repository: this.#database.backend.repository };
      left -= await this.#database.write((transaction) => deleteSurplus(transaction, of, retention.rows, left));
      if (left <= 0) return true;
      this.#after = target;
      await setImmediate();
    }
    return true;
  }

  /** Returns the next target by name. Returns undefined after the last one, then starts again. */
  async #next(): Promise<string | undefined> {
    const row = await this.#database.read((db) => {
      const names = db.selectFrom("history").select((select) => select.fn.min("target").as("target"));
      return (this.#after === undefined ? names : names.where("target", ">", this.#after)).executeTakeFirst();
    });
    const target = row?.target ?? undefined;
    if (target === undefined) this.#after = undefined;
    return target;
  }
}

async function deleteOld(transaction: Transaction<Schema>, before: number, batch: number): Promise<number> {
  await transaction.deleteFrom("repository_approvals").where("at", "<", before).execute();
  await transaction.deleteFrom("repository_pauses").where("until", "<", before).execute();
  await transaction.deleteFrom("repository_plans").where("planned", "<", before).execute();
  const old = transaction.selectFrom("history").select("id").where("at", "<", before).where(isOver).orderBy("at").limit(batch);
  const { numDeletedRows } = await transaction.deleteFrom("history").where("id", "in", old).executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

async function deleteSurplus(
  transaction: Transaction<Schema>,
  { target, repository }: { readonly target: string; readonly repository: string | undefined },
  rows: number,
  batch: number,
): Promise<number> {
  await deleteOldPlans(transaction, target, repository);
  const last = await transaction
    .selectFrom("history")
    .select(["at", "id"])
    .where("target", "=", target)
    .orderBy("at", "desc")
    .orderBy("id", "desc")
    .offset(rows)
    .limit(1)
    .executeTakeFirst();
  if (last === undefined) return 0;
  const surplus = transaction
    .selectFrom("history")
    .select("id")
    .where("target", "=", target)
    .where(sql<boolean>`(at, id) <= (${last.at}, ${last.id})`)
    .where(isOver)
    .orderBy("at")
    .orderBy("id")
    .limit(batch);
  const { numDeletedRows } = await transaction.deleteFrom("history").where("id", "in", surplus).executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

async function deleteOldPlans(transaction: Transaction<Schema>, target: string, repository: string | undefined): Promise<void> {
  const last = await transaction
    .selectFrom("repository_plans")
    .select("planned")
    .where("target", "=", target)
    .where(ofRepository(repository))
    .orderBy("planned", "desc")
    .offset(PLANS)
    .limit(1)
    .executeTakeFirst();
  if (last === undefined) return;
  const old = transaction.deleteFrom("repository_plans").where("target", "=", target).where("planned", "<=", last.planned);
  await old.where(ofRepository(repository)).execute();
}

/** Open drift and running passes are never deleted. */
const isOver = sql<boolean>`(ended is not null or kind not in ('drift', 'pass'))`;
