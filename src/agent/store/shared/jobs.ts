import { type Kysely, sql } from "kysely";
import { PRIORITY, type Priority, priorityOf } from "../../priority.js";
import type { Database } from "../database.js";
import type { Schema } from "../schema.js";
import { DATABASE_TIME, visitJob } from "./sql.js";

export interface Jobs {
  /** Plans visits in `wait` milliseconds and replaces existing ones of these targets. A running visit is followed by another one. */
  plan(targets: readonly string[], wait: number, trigger: string, priority?: Priority): Promise<void>;
  /** Plans the job of a visit again that could not begin. Does not ask a running visit for another one. */
  postpone(target: string, wait: number, trigger: string, priority: Priority): Promise<void>;
  /**
   * Plans a visit for every target without one, spread over `spread` milliseconds, or immediately if it has work. A job is lost if a worker
   * took it `lost` milliseconds ago and its target has no lease. Returns the number of planned visits.
   */
  ensure(targets: readonly string[], spread: number, lost: number): Promise<number>;
}

export function jobsOf(database: Database): Jobs {
  return {
    plan: (targets, wait, trigger, priority) => database.write((transaction) => planVisits(transaction, targets, trigger, wait, priority)),
    postpone: (target, wait, trigger, priority) => database.read((db) => addVisits(db, [target], trigger, wait, priority)),
    ensure: async (targets, spread, lost) => {
      const { rows } = await database.read((db) =>
        sql<{ count: number }>`
          with missing as materialized (
            select wanted.target, coalesce(lease.wanted, 'timer') as trigger,
              case when lease.holder <> '' then ${PRIORITY.takeover}::integer
                when lease.pending is not null or lease.wanted is not null then ${PRIORITY.retry}::integer
                else ${PRIORITY.timer}::integer end as priority
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
          select count(*) as count from graphile_worker.add_jobs(array(select ${visitJob(
            sql`target`,
            sql`trigger`,
            sql`(case when priority < ${PRIORITY.timer}::integer then 0 else random() * ${spread}::float8 end)`,
            sql`priority`,
          )} from missing order by target))`.execute(db),
      );
      return rows[0]?.count ?? 0;
    },
  };
}

/** Attempts to plan a job whose predecessor a worker takes at the same time. */
const ATTEMPTS = 5;

/**
 * Plans visits and stores their trigger in the lease, so that a running visit cannot replace the request. Locks rows in the order of their
 * names, leases before jobs, as all code with several locks does. Otherwise two transactions could wait for each other.
 */
export async function planVisits(
  db: Kysely<Schema>,
  targets: readonly string[],
  trigger: string,
  wait = 0,
  priority = priorityOf(trigger),
): Promise<void> {
  const sorted = [...targets].sort();
  await sql`
    insert into leases as lease (target, holder, fence, expires, free, state, wanted)
    select target, '', 0, 0, 0, '{}', ${trigger} from unnest(${sorted}::text[]) as named(target) order by target
    on conflict (target) do update
      set wanted = case when excluded.wanted = 'timer' then coalesce(lease.wanted, excluded.wanted) else excluded.wanted end`.execute(db);
  await addVisits(db, sorted, trigger, wait, priority);
}

async function addVisits(db: Kysely<Schema>, targets: readonly string[], trigger: string, wait: number, priority: Priority): Promise<void> {
  let left = targets;
  for (let attempt = 0; left.length > 0 && attempt < ATTEMPTS; attempt++) {
    const { rows } = await sql<{ key: string }>`
      select key from graphile_worker.add_jobs(array(
        select ${visitJob(sql`target`, sql`${trigger}::text`, sql`${wait}::float8`, sql`${priority}`)}
        from unnest(${left}::text[]) as named(target)
      ))`.execute(db);
    const planned = new Set(rows.map(({ key }) => key));
    left = left.filter((target) => !planned.has(`visit:${target}`));
  }
}
