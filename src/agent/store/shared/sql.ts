import { type RawBuilder, sql } from "kysely";

/** Milliseconds since 1970, by the database's clock: the one clock that all agents share. */
export const DATABASE_TIME = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/**
 * The job's kind and version. Workers take only kinds that they know: a payload that they could not read gets a new
 * version, and is left to newer agents.
 */
export const VISIT = "visit.1";

export interface VisitPayload {
  readonly target: string;
  readonly trigger: string;
}

/** Enough for any number of agents that die over one job: it is never given up. */
const ATTEMPTS = 30_000;

/** One job a target: what is planned already is replaced. `wait`: milliseconds. */
export function visitJob(target: RawBuilder<unknown>, trigger: RawBuilder<unknown>, wait: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`graphile_worker.add_job(${sql.lit(VISIT)}, json_build_object('target', ${target}, 'trigger', ${trigger}),
    job_key := 'visit:' || ${target}, run_at := now() + ${wait} * interval '1 millisecond', max_attempts := ${sql.lit(ATTEMPTS)})`;
}
