import { type RawBuilder, sql } from "kysely";

/** Milliseconds since 1970 in the clock of the database, which all agents share. */
export const DATABASE_TIME = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/** Start of the database server, in the same milliseconds. */
export const SERVER_START = sql<number>`(extract(epoch from pg_postmaster_start_time()) * 1000)::bigint`;

/**
 * Kind and version of the job. Workers take only known kinds. A payload that older workers cannot read gets a new version, so that only
 * newer agents take it.
 */
export const VISIT = "visit.1";

export interface VisitPayload {
  readonly target: string;
  readonly trigger: string;
}

/** High enough for any number of agents that die with the same job, so that it is always retried. */
const ATTEMPTS = 30_000;

/**
 * Job for `add_jobs`, which replaces one of the same target that no worker has taken. The flag lets a worker skip visits while it has no
 * free slot. `wait`: milliseconds.
 */
export function visitJob(
  target: RawBuilder<unknown>,
  trigger: RawBuilder<unknown>,
  wait: RawBuilder<unknown>,
  priority: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`row(${sql.lit(VISIT)}, json_build_object('target', ${target}, 'trigger', ${trigger}), null,
    now() + ${wait} * interval '1 millisecond', ${sql.lit(ATTEMPTS)}, 'visit:' || ${target}, ${priority}, array[${sql.lit(VISIT)}]
  )::graphile_worker.job_spec`;
}
