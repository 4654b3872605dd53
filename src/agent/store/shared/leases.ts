import { type RawBuilder, type Selectable, sql } from "kysely";
import { PRIORITY, type Priority, priorityOf } from "../../priority.js";
import type { Unanswered } from "../../visit-parts.js";
import type { Database } from "../database.js";
import { markOf, rowOf } from "../marks.js";
import type { PassEnd, PassStart } from "../pass-record.js";
import { wholeRow } from "../passes.js";
import { valuesOf } from "../rows.js";
import type { MarksTable } from "../schema.js";
import type { Mark } from "../store.js";
import { DATABASE_TIME, VISIT, visitJob } from "./sql.js";

/** Durations in milliseconds. */
interface LeaseTimes {
  /** Duration of a lease from one renewal. */
  readonly length: number;
  /** Maximum duration of a request to the target that is still running when the lease expires. */
  readonly request: number;
}

/** Durations for many targets. */
export interface ManyTimes extends LeaseTimes {
  /** Targets with a different `request` duration. */
  readonly others: Readonly<Record<string, number>>;
}

/** Lease, with the state of the target from earlier agents. */
export interface Grant {
  readonly target: string;
  readonly holder: string;
  /** Incremented at each change of the holder. */
  readonly fence: number;
  /** The previous holder did not release it. */
  readonly tookOver: boolean;
  /** Commit that touches the target and is not applied yet. */
  readonly pending: string | undefined;
  readonly touched: string | undefined;
  /** Wave of the target in the roll-out. `turn` is the current wave. */
  readonly wave: number | undefined;
  readonly turn: number | undefined;
  /** Commit in force of the requested source. */
  readonly commit: string | undefined;
  /** JSON from the last holder. */
  readonly state: string;
}

/** Due job. A job that is planned again has a higher revision. It stays in the queue while its lease is held. */
interface Job {
  readonly id: number;
  readonly revision: number;
}

/** Due visit with its lease. */
export interface DueVisit {
  readonly grant: Grant;
  readonly job: Job;
  readonly trigger: string;
  readonly mark: Mark | undefined;
}

/** Pass without any change, and the mark for the next pass. Both are stored when the lease is released. */
interface QuietPass {
  readonly start: PassStart;
  readonly end: PassEnd;
  readonly mark: Mark;
}

/** `free`: milliseconds until the lease can be taken if its holder does not renew it. */
type Asked = { readonly grant: Grant } | { readonly grant: undefined; readonly free: number };

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
  /** Job of the lease. */
  readonly job?: Job | undefined;
  readonly quiet?: QuietPass | undefined;
}

/** Target that does not have a commit yet. `state` comes from its last holder. */
interface Behind {
  readonly target: string;
  readonly touched: string;
  readonly state: string;
}

export interface Leases {
  /** Takes a lease, without which no agent may visit a shared target. If another agent holds it, the `wanted` trigger is stored. */
  acquire(target: string, holder: string, source: string, times: LeaseTimes, wanted: string | undefined): Promise<Asked>;
  /** Takes up to `most` due visits without a holder, with their leases, in one transaction. */
  takeDue(most: number, holder: string, source: string, times: ManyTimes): Promise<readonly DueVisit[]>;
  /** Releases the lease of a removed target and completes its job. */
  giveUp(due: DueVisit): Promise<void>;
  /** Renews those leases of `targets` that the holder still has. Returns their fences. */
  renew(holder: string, targets: readonly string[], times: Pick<LeaseTimes, "length">): Promise<ReadonlyMap<string, number>>;
  /** Returns the targets that a commit touches and has not reached yet. */
  behind(targets: readonly string[]): Promise<readonly Behind[]>;
  /** Returns the targets that did not answer at their last visit. */
  unanswered(): Promise<ReadonlyMap<string, Unanswered>>;
  /** Returns why each target is on hold, as the agent that visited it last recorded it. */
  held(): Promise<ReadonlyMap<string, string>>;
  /**
   * Releases the lease, plans the next visit and stores a quiet pass in one statement. Returns false if the lease was lost; nothing is
   * planned then.
   */
  release(grant: Grant, release: Release): Promise<boolean>;
}

interface GrantRow {
  readonly fence: number;
  readonly took_over: boolean;
  readonly pending: string | null;
  readonly touched: string | null;
  readonly wave: number | null;
  readonly turn: number | null;
  readonly commit_sha: string | null;
  readonly state: string;
}

interface DueRow extends GrantRow {
  /** Null in the row that reports that no job was taken. */
  readonly id: number | null;
  readonly revision: number;
  /** Number of jobs that were examined. */
  readonly ripe: number;
  readonly target: string;
  readonly trigger: string;
  readonly mark: Selectable<MarksTable> | null;
}

export function leasesOf(database: Database): Leases {
  return {
    acquire: async (target, holder, source, times, wanted) => {
      for (;;) {
        const grant = await acquire(database, target, holder, source, times);
        if (grant !== undefined) return { grant };
        const { rows } = await database.read((db) =>
          sql<{ free: number }>`
            update leases set wanted = coalesce(${wanted ?? null}::text, wanted)
            where target = ${target} and holder <> '' and free > ${DATABASE_TIME}
            returning free - ${DATABASE_TIME} as free`.execute(db),
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
        const { rows } = await sql<{ target: string; visits: number; next: number | null }>`
          select lease.target, (lease.state::jsonb ->> 'unreachable')::integer as visits,
            (select extract(epoch from min(job.run_at)) * 1000 from graphile_worker.jobs as job
              where job.key = 'visit:' || lease.target and lease.holder = '')::float8 as next
          from leases as lease where (lease.state::jsonb ->> 'unreachable')::integer > 0`.execute(db);
        return new Map(rows.map(({ target, visits, next }) => [target, { visits, next: next ?? undefined }]));
      }),
    takeDue: (most, holder, source, times) => takeDue(database, most, holder, source, times),
    giveUp: ({ grant, job }) =>
      database.write(async (transaction) => {
        const { target, holder, fence } = grant;
        await sql`
          update leases set holder = '', expires = 0, free = 0
          where target = ${target} and holder = ${holder} and fence = ${fence}`.execute(transaction);
        await sql`
          delete from graphile_worker._private_jobs
          where id = ${job.id} and revision = ${job.revision} and locked_at is null`.execute(transaction);
      }),
    release: (grant, release) => giveBack(database, grant, release),
  };
}

async function giveBack(database: Database, grant: Grant, release: Release): Promise<boolean> {
  const { target, holder, fence, pending, wave } = grant;
  const { state, applied, leavesWave, next, trigger, priority = priorityOf(trigger), job = { id: 0, revision: 0 }, quiet } = release;
  const { rows } = await database.read((db) =>
    sql`
      with mine as (
        select target, wanted from leases where target = ${target} and holder = ${holder} and fence = ${fence} for update
      ), ${quiet === undefined ? sql`` : writtenDown(quiet)} freed as (
        update leases set holder = '', expires = 0, free = 0, wanted = null, state = ${state},
          pending = case when ${applied} and leases.pending is not distinct from ${pending ?? null}::text then null else leases.pending end,
          wave = case when ${leavesWave} and leases.wave is not distinct from ${wave ?? null}::integer
            and leases.pending is not distinct from ${pending ?? null}::text then null else leases.wave end
        from mine where leases.target = mine.target
        returning mine.wanted
      ), planned as (
        select coalesce(wanted, ${trigger}) as trigger, case when wanted is null then ${next}::float8 else 0 end as wait,
          case when wanted is null then ${priority}::integer else ${PRIORITY.commit}::integer end as priority
        from freed
      ), moved as (
        update graphile_worker._private_jobs as job set revision = job.revision + 1, updated_at = now(), priority = planned.priority,
          run_at = now() + planned.wait * interval '1 millisecond',
          payload = json_build_object('target', ${target}::text, 'trigger', planned.trigger)
        from planned
        where job.id = ${job.id} and job.revision = ${job.revision} and job.locked_at is null and planned.wait > 0
        returning job.id
      )
      select case when exists (select from moved) or exists (
          select 1 from graphile_worker.jobs as other
          where other.key = 'visit:' || ${target}::text and other.locked_at is null
            and other.run_at <= now() + planned.wait * interval '1 millisecond'
            and not (other.id = ${job.id} and other.revision = ${job.revision})
        ) then null else (${visitJob(sql`${target}::text`, sql`planned.trigger`, sql`planned.wait`, sql`planned.priority`)}).id end
      from planned`.execute(db),
  );
  return rows.length > 0;
}

/** Stores the pass in any case, but the mark only if the lease is still held. */
function writtenDown({ start, end, mark }: QuietPass): RawBuilder<unknown> {
  const row = Object.entries(valuesOf(wholeRow(start, end)));
  const { target, ...values } = rowOf(mark);
  const columns = Object.keys(values).map((name) => sql.id(name));
  const given = Object.entries(values).map(([name, value]) => sql`${value}::${name === "skips" ? sql`integer` : sql`text`}`);
  return sql`recorded as (
      insert into history (${sql.join(row.map(([name]) => sql.id(name)))}) values (${sql.join(row.map(([, value]) => value))})
    ), marked as (
      insert into marks (target, ${sql.join(columns)}) select ${target}::text, ${sql.join(given)} from mine
      on conflict (target) do update set ${sql.join(columns.map((column) => sql`${column} = excluded.${column}`))}
    ),`;
}

/**
 * Number of examined jobs in addition to those that are taken, because jobs stay in the queue during their visit. The planner uses the
 * index only for a known number.
 */
const BESIDE = 100;

/** Each priority has its own part of the index of jobs, so that later jobs of one are not read. */
const PRIORITIES = Object.values(PRIORITY).sort((a, b) => a - b);

/**
 * Examines jobs and locks leases. A transaction that needs both locks leases first, as putting a commit in force does. Leases with a lock
 * are skipped.
 */
async function takeDue(
  database: Database,
  most: number,
  holder: string,
  source: string,
  times: ManyTimes,
  looked = most + BESIDE,
): Promise<readonly DueVisit[]> {
  const { length, request, others } = times;
  const isFree = sql`(lease.holder = '' or lease.free <= ${DATABASE_TIME})`;
  const expires = sql`${DATABASE_TIME} + ${length}::bigint`;
  const free = sql`${expires} + coalesce((${JSON.stringify(others)}::jsonb ->> due.target)::bigint, ${request}::bigint)`;
  const { rows } = await database.read((db) =>
    sql<DueRow>`
      with ripe as materialized (
        select id, revision, priority, run_at, payload ->> 'target' as target, payload ->> 'trigger' as trigger
        from unnest(${PRIORITIES}::smallint[]) as level(number), lateral (
          select * from graphile_worker._private_jobs as job
          where is_available and priority = level.number and run_at <= now()
            and task_id = (select id from graphile_worker._private_tasks where identifier = ${VISIT})
          order by run_at limit ${looked}
        ) as job
        order by level.number, run_at limit ${looked}
      ), due as materialized (
        select ripe.*, lease.target is null as is_new,
          least(priority, case when lease.holder <> '' then ${PRIORITY.takeover}::integer end) as turn
        from ripe left join leases as lease on lease.target = ripe.target
        where lease.target is null or ${isFree}
      ), unheld as (
        select lease.target, lease.holder <> '' as took_over from leases as lease join due on due.target = lease.target
        where ${isFree} order by due.turn, due.run_at limit ${most} for update of lease skip locked
      ), got as (
        update leases as lease set holder = ${holder}, fence = lease.fence + 1, expires = ${expires}, free = ${free}, wanted = null
        from unheld, due where lease.target = unheld.target and lease.target = due.target
        returning lease.target, fence, pending, touched, wave, state, took_over
      ), first as (
        insert into leases (target, holder, fence, expires, free, state)
        select target, ${holder}, 1, ${expires}, ${free}, '{}'
        from (select target from due where is_new order by turn, run_at limit greatest(0, ${most} - (select count(*) from got))) as due
        order by target
        on conflict (target) do nothing
        returning target, fence, pending, touched, wave, state, false as took_over
      )
      select due.id, due.revision, due.trigger, mine.*, in_force.wave as turn, in_force.commit_sha, to_json(marks) as mark, seen.ripe
      from (select count(*) as ripe from ripe) as seen
      left join (select * from got union all select * from first) as mine on true
      left join due on due.target = mine.target
      left join in_force on in_force.source = ${source}
      left join marks on marks.target = mine.target
      order by due.turn, due.run_at`.execute(db),
  );
  const taken = rows.flatMap((row) => (row.id === null ? [] : [{ ...row, id: row.id }]));
  // All examined jobs are being visited, or their holders have ended. Further jobs may exist.
  if (taken.length === 0 && rows[0]?.ripe === looked) return await takeDue(database, most, holder, source, times, looked * 8);
  return taken.map((row) => ({
    grant: grantOf(row.target, holder, row),
    job: { id: row.id, revision: row.revision },
    trigger: row.trigger,
    mark: row.mark === null ? undefined : markOf(row.mark),
  }));
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
      insert into leases as lease (target, holder, fence, expires, free, state)
      values (${target}, ${holder}, 1, ${DATABASE_TIME} + ${length}::bigint, ${DATABASE_TIME} + ${length + request}::bigint, '{}')
      on conflict (target) do update
        set holder = excluded.holder, fence = lease.fence + 1, expires = excluded.expires, free = excluded.free, wanted = null
        where lease.holder = '' or lease.free <= ${DATABASE_TIME}
      returning fence, pending, touched, wave, state,
        coalesce((select before.holder <> '' from leases as before where before.target = ${target}), false) as took_over,
        (select wave from in_force where source = ${source}) as turn,
        (select commit_sha from in_force where source = ${source}) as commit_sha`.execute(db),
  );
  return rows[0] && grantOf(target, holder, rows[0]);
}

function grantOf(target: string, holder: string, row: GrantRow): Grant {
  const { fence, took_over, pending, touched, wave, turn, commit_sha, state } = row;
  return {
    target,
    holder,
    fence,
    tookOver: took_over,
    pending: pending ?? undefined,
    touched: touched ?? undefined,
    wave: wave ?? undefined,
    turn: turn ?? undefined,
    commit: commit_sha ?? undefined,
    state,
  };
}
