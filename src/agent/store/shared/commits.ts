import { type Kysely, sql } from "kysely";
import type { RolloutStatus } from "../../rollouts.js";
import type { Database } from "../database.js";
import type { Schema } from "../schema.js";
import { planVisits } from "./jobs.js";

/** Target that a commit touches. */
export interface Touched {
  readonly target: string;
  /** Wave in the roll-out, from 1. Undefined if the target does not wait for others. */
  readonly wave: number | undefined;
  /** False: only an earlier commit changes it. The default is true. */
  readonly isChanged?: boolean;
}

interface Taking {
  readonly source: string;
  /** Active commit before the fetch. */
  readonly before: string | undefined;
  readonly commit: string;
  readonly touched: readonly Touched[];
  readonly trigger: string;
}

/** Next wave of a roll-out. `targets` is empty at the end of the roll-out. */
interface NextWave {
  readonly wave: number;
  readonly of: number;
  readonly targets: readonly string[];
}

/** Active commit of all agents of a store. */
export interface Commits {
  inForce(source: string): Promise<string | undefined>;
  /** Returns the targets that a commit has not reached. */
  unfinished(): Promise<readonly string[]>;
  /** Returns the unfinished targets without those that do not answer and that only a commit before `commit` changes. */
  counted(commit: string): Promise<readonly string[]>;
  /** Returns the targets of later waves. */
  waiting(wave: number): Promise<readonly string[]>;
  /** Activates a commit and plans its visits in one transaction. Returns false if another agent was faster. */
  take(taking: Taking): Promise<boolean>;
  /** Returns the roll-out that is not finished. */
  rollout(source: string): Promise<RolloutStatus | undefined>;
  /** Begins the next wave if no target of this one is left. */
  advance(source: string): Promise<NextWave | undefined>;
}

export function commitsOf(database: Database): Commits {
  return {
    inForce: (source) => database.read(async (db) => (await readRow(db, source, false))?.commit_sha ?? undefined),
    unfinished: () =>
      database.read(async (db) => {
        const { rows } = await sql<{ target: string }>`
          select target from leases where pending is not null or wave is not null order by target`.execute(db);
        return rows.map(({ target }) => target);
      }),
    counted: (commit) =>
      database.read(async (db) => {
        const { rows } = await sql<{ target: string }>`
          select target from leases as lease where (pending is not null or wave is not null)
            and (touched is not distinct from ${commit} or not ${DOES_NOT_ANSWER}) order by target`.execute(db);
        return rows.map(({ target }) => target);
      }),
    waiting: (wave) =>
      database.read(async (db) => {
        const rows = await db.selectFrom("leases").select("target").where("wave", ">", wave).orderBy("target").execute();
        return rows.map(({ target }) => target);
      }),
    rollout: (source) => database.read((db) => readRollout(db, source)),
    take: ({ source, before, commit, touched, trigger }) =>
      database.write(async (transaction) => {
        await sql`insert into in_force (source) values (${source}) on conflict do nothing`.execute(transaction);
        const known = await readRow(transaction, source, true);
        if ((known?.commit_sha ?? undefined) !== before) return false;
        const waves = touched.flatMap(({ wave }) => wave ?? []);
        const wave = waves.length === 0 ? null : 1;
        await sql`
          update in_force set commit_sha = ${commit}, wave = ${wave}
          where source = ${source}`.execute(transaction);
        await sql`
          insert into leases as lease (target, holder, fence, expires, free, state, pending, wave, touched)
          select target, '', 0, 0, 0, '{}', ${commit}, wave, ${commit}
          from unnest(${touched.map(({ target }) => target)}::text[], ${touched.map((each) => each.wave ?? null)}::integer[]) as new(target, wave)
          order by target
          on conflict (target) do update set pending = excluded.pending, wave = excluded.wave, touched = case
            when lease.target = any(${touched.flatMap(({ target, isChanged }) => (isChanged === false ? target : []))}::text[])
              and ${DOES_NOT_ANSWER} then lease.touched
            else excluded.touched end`.execute(transaction);
        const due = touched.filter((each) => each.wave === undefined || each.wave === 1).map(({ target }) => target);
        await planVisits(transaction, due, trigger);
        return true;
      }),
    advance: (source) =>
      database.write(async (transaction) => {
        const current = (await readRow(transaction, source, true))?.wave ?? undefined;
        if (current === undefined) return undefined;
        const { rows } = await sql<{ left: number; next: number | null; last: number | null }>`
          select count(*) filter (where wave <= ${current}) as left, min(wave) filter (where wave > ${current}) as next, max(wave) as last
          from leases where wave is not null`.execute(transaction);
        const { left, next, last } = rows[0] ?? { left: 0, next: null, last: null };
        if (left > 0) return undefined;
        await sql`update in_force set wave = ${next} where source = ${source}`.execute(transaction);
        if (next === null) return { wave: current, of: current, targets: [] };
        const ready = await sql<{ target: string }>`select target from leases where wave = ${next} order by target`.execute(transaction);
        const targets = ready.rows.map(({ target }) => target);
        await planVisits(transaction, targets, "git");
        return { wave: next, of: last ?? next, targets };
      }),
  };
}

const DOES_NOT_ANSWER = sql`coalesce((lease.state::jsonb ->> 'unreachable')::integer > 0, false)`;

interface WaveRow {
  readonly target: string;
  readonly wave: number;
  readonly turn: number;
  readonly commit_sha: string;
  readonly failed: boolean;
}

/** A target has failed if it was tried with this commit and refused it, did not answer, or has a hold. */
async function readRollout(db: Kysely<Schema>, source: string): Promise<RolloutStatus | undefined> {
  const { rows } = await sql<WaveRow>`
    select lease.target, lease.wave, in_force.wave as turn, in_force.commit_sha,
      lease.state::jsonb ->> 'tried' is not distinct from lease.touched and (
        lease.state::jsonb ->> 'held' = 'refused' or ${DOES_NOT_ANSWER}
        or exists (select from repository_holds as holds where holds.target = lease.target and holds.commit_sha = in_force.commit_sha)
      ) as failed
    from in_force join leases as lease on lease.wave >= in_force.wave
    where in_force.source = ${source}
    order by lease.target`.execute(db);
  const [first] = rows;
  if (first === undefined) return undefined;
  const now = rows.filter(({ wave, turn }) => wave === turn);
  const names = (some: readonly WaveRow[]) => some.map(({ target }) => target);
  return {
    commit: first.commit_sha,
    wave: first.turn,
    of: Math.max(...rows.map(({ wave }) => wave)),
    failed: names(now.filter(({ failed }) => failed)),
    open: names(now.filter(({ failed }) => !failed)),
    left: names(rows.filter(({ wave, turn }) => wave > turn)),
  };
}

async function readRow(db: Kysely<Schema>, source: string, lock: boolean) {
  const query = db.selectFrom("in_force").select(["commit_sha", "wave"]).where("source", "=", source);
  return await (lock ? query.forUpdate() : query).executeTakeFirst();
}
