import { sql } from "kysely";
import { PRIORITY, type Priority, priorityOf } from "../../priority.js";
import type { Unanswered } from "../../visit-parts.js";
import type { Database } from "../database.js";
import { DATABASE_TIME, visitJob } from "./sql.js";

/** Durations in milliseconds. */
interface LeaseTimes {
  /** Duration of a lease from one renewal. */
  readonly length: number;
  /** Maximum duration of a request to the target that is still running when the lease expires. */
  readonly request: number;
}

/** Lease, with the state of the target from earlier agents. */
export interface Grant {
  readonly target: string;
  readonly holder: string;
  /** Incremented at each change of the holder. */
  readonly fence: number;
  /** The previous holder did not release it. */
  readonly tookOver: boolean;
  /** Trigger of a visit that was requested since the last one began. */
  readonly wanted: string | undefined;
  /** Commit that touches the target and is not applied yet. */
  readonly pending: string | undefined;
  readonly touched: string | undefined;
  /** Wave of the target in the roll-out. `turn` is the current wave. */
  readonly wave: number | undefined;
  readonly turn: number | undefined;
  /** Active commit of the requested source. */
  readonly commit: string | undefined;
  /** JSON from the last holder. */
  readonly state: string;
}

/** `free`: milliseconds until the lease can be taken if its holder does not renew it. */
type Acquired = { readonly grant: Grant } | { readonly grant: undefined; readonly free: number };

interface Release {
  readonly state: string;
  /** The pending commit is applied. */
  readonly applied: boolean;
  /** The target has finished in its wave. */
  readonly leavesWave: boolean;
  /** Milliseconds until the next visit. It is earlier if a visit was requested in the meantime. */
  readonly next: number;
  readonly trigger: string;
  /** Priority of the next visit. The default is the priority of the trigger. */
  readonly priority?: Priority;
}

/** Target that does not have a commit yet. `state` comes from its last holder. */
interface Behind {
  readonly target: string;
  readonly touched: string;
  readonly state: string;
}

export interface Leases {
  /** Takes a lease, without which no agent may visit a shared target. */
  acquire(target: string, holder: string, source: string, times: LeaseTimes): Promise<Acquired>;
  /** Renews those leases of `targets` that the holder still has. Returns their fences. */
  renew(holder: string, targets: readonly string[], times: Pick<LeaseTimes, "length">): Promise<ReadonlyMap<string, number>>;
  /** Returns the targets that a commit touches and has not reached yet. */
  behind(targets: readonly string[]): Promise<readonly Behind[]>;
  /** Returns the targets that did not answer at their last visit. */
  unanswered(): Promise<ReadonlyMap<string, Unanswered>>;
  /** Returns why each target is on hold, as the agent that visited it last recorded it. */
  held(): Promise<ReadonlyMap<string, string>>;
  /** Releases the lease and plans the next visit in one statement. Returns false if the lease was lost; nothing is planned then. */
  release(grant: Grant, release: Release): Promise<boolean>;
}

interface GrantRow {
  readonly fence: number;
  readonly took_over: boolean;
  readonly wanted: string | null;
  readonly pending: string | null;
  readonly touched: string | null;
  readonly wave: number | null;
  readonly turn: number | null;
  readonly commit_sha: string | null;
  readonly state: string;
}

export function leasesOf(database: Database): Leases {
  return {
    acquire: async (target, holder, source, times) => {
      for (;;) {
        const grant = await acquire(database, target, holder, source, times);
        if (grant !== undefined) return { grant };
        const { rows } = await database.read((db) =>
          sql<{ free: number }>`
            select free - ${DATABASE_TIME} as free from leases
            where target = ${target} and holder <> '' and free > ${DATABASE_TIME}`.execute(db),
        );
        // The lease was released in the meantime, so it can be taken now.
        if (rows[0] !== undefined) return { grant: undefined, free: rows[0].free };
      }
    },
    renew: async (holder, targets, { length }) => {
      const { rows } = await database.read((db) =>
        sql<{ target: string; fence: number }>`
          update leases set expires = ${DATABASE_TIME} + ${length}::bigint, free = ${DATABASE_TIME} + ${length}::bigint + free - expires
          where target in (select target from leases where holder = ${holder} and target = any(${[...targets]}::text[]) order by target for update)
          returning target, fence`.execute(db),
      );
      return new Map(rows.map(({ target, fence }) => [target, fence]));
    },
    behind: (targets) =>
      database.read(async (db) => {
        const { rows } = await sql<Behind>`
          select target, coalesce(touched, '') as touched, state from leases
          where pending is not null and target = any(${[...targets]}::text[])`.execute(db);
        return rows;
      }),
    held: () =>
      database.read(async (db) => {
        const { rows } = await sql<{ target: string; held: string }>`
          select target, state::jsonb ->> 'held' as held from leases where state::jsonb ->> 'held' is not null`.execute(db);
        return new Map(rows.map(({ target, held }) => [target, held]));
      }),
    unanswered: () =>
      database.read(async (db) => {
        const { rows } = await sql<{ target: string; visits: number; since: number | null; next: number | null }>`
          select lease.target, (lease.state::jsonb ->> 'unreachable')::integer as visits,
            (lease.state::jsonb ->> 'unreachableSince')::float8 as since,
            (select extract(epoch from min(job.run_at)) * 1000 from graphile_worker.jobs as job
              where job.key = 'visit:' || lease.target and lease.holder = '')::float8 as next
          from leases as lease where (lease.state::jsonb ->> 'unreachable')::integer > 0`.execute(db);
        return new Map(
          rows.map(({ target, visits, since, next }) => [target, { visits, since: since ?? undefined, next: next ?? undefined }]),
        );
      }),
    release: (grant, release) => giveBack(database, grant, release),
  };
}

async function giveBack(database: Database, grant: Grant, release: Release): Promise<boolean> {
  const { target, holder, fence, pending, wave } = grant;
  const { state, applied, leavesWave, next, trigger, priority = priorityOf(trigger) } = release;
  const { rows } = await database.read((db) =>
    sql`
      with mine as (
        select target from leases where target = ${target} and holder = ${holder} and fence = ${fence} for update
      ), freed as (
        update leases set holder = '', expires = 0, free = 0, state = ${state},
          pending = case when ${applied} and leases.pending is not distinct from ${pending ?? null}::text then null else leases.pending end,
          wave = case when ${leavesWave} and leases.wave is not distinct from ${wave ?? null}::integer
            and leases.pending is not distinct from ${pending ?? null}::text then null else leases.wave end
        from mine where leases.target = mine.target
        returning wanted
      ), planned as (
        select coalesce(wanted, ${trigger}) as trigger, case when wanted is null then ${next}::float8 else 0 end as wait,
          case when wanted is null then ${priority}::integer else ${PRIORITY.commit}::integer end as priority
        from freed
      )
      select (
        select count(*)
        from graphile_worker.add_jobs(array[${visitJob(sql`${target}::text`, sql`planned.trigger`, sql`planned.wait`, sql`planned.priority`)}])
      ) from planned`.execute(db),
  );
  return rows.length > 0;
}

async function acquire(
  database: Database,
  target: string,
  holder: string,
  source: string,
  { length, request }: LeaseTimes,
): Promise<Grant | undefined> {
  const { rows } = await database.read((db) =>
    sql<GrantRow>`
      with before as materialized (
        select holder, wanted from leases where target = ${target} for update
      )
      insert into leases as lease (target, holder, fence, expires, free, state)
      select ${target}, ${holder}, 1, ${DATABASE_TIME} + ${length}::bigint, ${DATABASE_TIME} + ${length + request}::bigint, '{}'
      from (select count(*) from before) as locked
      on conflict (target) do update
        set holder = excluded.holder, fence = lease.fence + 1, expires = excluded.expires, free = excluded.free, wanted = null
        where lease.holder = '' or lease.free <= ${DATABASE_TIME}
      returning fence, pending, touched, wave, state,
        coalesce((select holder <> '' from before), false) as took_over, (select wanted from before) as wanted,
        (select wave from in_force where source = ${source}) as turn,
        (select commit_sha from in_force where source = ${source}) as commit_sha`.execute(db),
  );
  return rows[0] && grantOf(target, holder, rows[0]);
}

function grantOf(target: string, holder: string, row: GrantRow): Grant {
  const { fence, took_over, wanted, pending, touched, wave, turn, commit_sha, state } = row;
  return {
    target,
    holder,
    fence,
    tookOver: took_over,
    wanted: wanted ?? undefined,
    pending: pending ?? undefined,
    touched: touched ?? undefined,
    wave: wave ?? undefined,
    turn: turn ?? undefined,
    commit: commit_sha ?? undefined,
    state,
  };
}
