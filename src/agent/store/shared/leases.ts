import { sql } from "kysely";
import type { Database } from "../database.js";
import { DATABASE_TIME, visitJob } from "./sql.js";

/** Milliseconds. */
interface LeaseTimes {
  /** From one renewal on. */
  readonly length: number;
  /** For how long a request to the target may be under way once the lease has run out. */
  readonly request: number;
}

/** A lease that was got, and what agents before know of the target. */
export interface Grant {
  readonly target: string;
  readonly holder: string;
  /** Grows each time that the lease changes hands. */
  readonly fence: number;
  /** The holder before did not give it back. */
  readonly tookOver: boolean;
  /** The commit that has touched the target and is not applied yet. */
  readonly pending: string | undefined;
  readonly touched: string | undefined;
  /** In the roll-out, and the wave whose turn it is. */
  readonly wave: number | undefined;
  readonly turn: number | undefined;
  /** The commit in force of the source that was asked for. */
  readonly commit: string | undefined;
  /** JSON, as the last holder left it. */
  readonly state: string;
}

/** `free`: milliseconds until the lease can be got, if its holder says nothing more. */
type Asked = { readonly grant: Grant } | { readonly grant: undefined; readonly free: number };

interface Release {
  readonly state: string;
  /** The commit that was pending is applied. */
  readonly applied: boolean;
  /** The target has left its wave. */
  readonly leavesWave: boolean;
  /** Milliseconds until the next visit; sooner where somebody has asked for one meanwhile. */
  readonly next: number;
  readonly trigger: string;
}

/** A target that has still to get a commit; `state` as its last holder left it. */
interface Behind {
  readonly target: string;
  readonly touched: string;
  readonly state: string;
}

export interface Leases {
  /** The only way to a target that many agents may visit. What asks in vain is remembered where `wanted` says what it is. */
  acquire(target: string, holder: string, source: string, times: LeaseTimes, wanted: string | undefined): Promise<Asked>;
  /** Those of `targets` that the holder still has, for their whole length from now; gives their fences. */
  renew(holder: string, targets: readonly string[], times: Pick<LeaseTimes, "length">): Promise<ReadonlyMap<string, number>>;
  /** Those of `targets` that a commit has touched and not reached yet. */
  behind(targets: readonly string[]): Promise<readonly Behind[]>;
  /** Gives it back and plans the next visit, as one. False when it was lost before. */
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
        // Given back in between: it can be got now.
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
    release: async ({ target, holder, fence, pending, wave }, { state, applied, leavesWave, next, trigger }) => {
      const { rows } = await database.read((db) =>
        sql`
          with mine as (
            select target, wanted from leases where target = ${target} and holder = ${holder} and fence = ${fence} for update
          ), freed as (
            update leases set holder = '', expires = 0, free = 0, wanted = null, state = ${state},
              pending = case when ${applied} and leases.pending is not distinct from ${pending ?? null}::text then null else leases.pending end,
              wave = case when ${leavesWave} and leases.wave is not distinct from ${wave ?? null}::integer
                and leases.pending is not distinct from ${pending ?? null}::text then null else leases.wave end
            from mine where leases.target = mine.target
            returning mine.wanted
          ), planned as (
            select wanted, case when wanted is null then ${next}::float8 else 0 end as wait from freed
          )
          select case when exists (
              select 1 from graphile_worker.jobs
              where key = 'visit:' || ${target}::text and locked_at is null and run_at <= now() + planned.wait * interval '1 millisecond'
            ) then null else (${visitJob(sql`${target}::text`, sql`coalesce(wanted, ${trigger})`, sql`planned.wait`)}).id end
          from planned`.execute(db),
      );
      return rows.length > 0;
    },
  };
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
  const [row] = rows;
  if (row === undefined) return undefined;
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
