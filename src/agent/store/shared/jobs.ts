import { sql } from "kysely";
import { PRIORITY, type Priority, priorityOf } from "../../priority.js";
import type { Database } from "../database.js";
import { DATABASE_TIME, visitJob } from "./sql.js";

export interface Jobs {
  /** Plans visits in `wait` milliseconds and replaces existing ones of these targets. */
  plan(targets: readonly string[], wait: number, trigger: string, priority?: Priority): Promise<void>;
  /**
   * Plans a visit for every target without one, spread over `spread` milliseconds, or immediately if a commit is pending. A job is lost if
   * a worker took it `lost` milliseconds ago and its target has no lease. Returns the number of planned visits.
   */
  ensure(targets: readonly string[], spread: number, lost: number): Promise<number>;
}

export function jobsOf(database: Database): Jobs {
  return {
    plan: async (targets, wait, trigger, priority = priorityOf(trigger)) => {
      await database.read((db) =>
        sql`
          select count(${visitJob(sql`target`, sql`${trigger}::text`, sql`${wait}::float8`, sql`${priority}`)})
          from unnest(${[...targets]}::text[]) as wanted(target)`.execute(db),
      );
    },
    ensure: async (targets, spread, lost) => {
      const { rows } = await database.read((db) =>
        sql<{ count: number }>`
          with missing as materialized (
            select wanted.target, lease.pending is not null as due
            from unnest(${[...targets]}::text[]) as wanted(target)
            left join leases as lease on lease.target = wanted.target
            where not exists (
              select 1 from graphile_worker.jobs as job
              where job.key = 'visit:' || wanted.target and (
                job.locked_at is null or job.locked_at > now() - ${lost}::float8 * interval '1 millisecond'
                or (lease.holder <> '' and lease.free > ${DATABASE_TIME})
              )
            ) and coalesce(lease.holder = '' or lease.free <= ${DATABASE_TIME}, true)
          )
          select count(${visitJob(
            sql`target`,
            sql`'timer'`,
            sql`(case when due then 0 else random() * ${spread}::float8 end)`,
            sql`(case when due then ${PRIORITY.retry}::integer else ${PRIORITY.timer}::integer end)`,
          )}) as count
          from missing`.execute(db),
      );
      return rows[0]?.count ?? 0;
    },
  };
}
