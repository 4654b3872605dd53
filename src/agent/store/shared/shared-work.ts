import type { Pool } from "pg";
import type { Database } from "../database.js";
import { type Commits, commitsOf } from "./commits.js";
import { type Jobs, jobsOf } from "./jobs.js";
import { type Leases, leasesOf } from "./leases.js";
import { type Members, membersOf } from "./members.js";

/** Shared state of agents with a common PostgreSQL: members, leases of targets, the active commit and the job queue. */
export interface SharedWork {
  readonly leases: Leases;
  readonly members: Members;
  readonly commits: Commits;
  readonly jobs: Jobs;
  /** Creates or migrates the tables of the job queue. */
  prepare(): Promise<void>;
  /** Key for digests that agents compare. */
  readonly key: Buffer;
  /** Returns connections for workers. */
  pool(connections: number): Pool;
}

export function sharedWorkOf(database: Database): SharedWork | undefined {
  const { pool, key } = database.backend;
  if (pool === undefined || key === undefined) return undefined;
  return {
    leases: leasesOf(database),
    members: membersOf(database),
    commits: commitsOf(database),
    jobs: jobsOf(database),
    prepare: () => database.reportingFailure(() => prepare(pool(1))),
    pool,
    key,
  };
}

async function prepare(pool: Pool): Promise<void> {
  const { runMigrations, Logger } = await import("./job-queue.js");
  try {
    await runMigrations({ pgPool: pool, logger: new Logger(() => () => undefined) });
  } finally {
    await pool.end();
  }
}
