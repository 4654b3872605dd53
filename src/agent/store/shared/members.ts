import { type Kysely, sql } from "kysely";
import { PRIORITY } from "../../priority.js";
import type { Database } from "../database.js";
import { interruptPassesOf } from "../passes.js";
import { insertRow } from "../rows.js";
import type { Schema } from "../schema.js";
import { type Runner, runnerName } from "../store.js";
import { DATABASE_TIME, SERVER_START } from "./sql.js";

/** Agent that shares the store with others. */
export interface Member extends Runner {
  /** Unique id of this process. A later process with the same pid has another id. */
  readonly id: string;
  readonly hostname: string;
  /** Milliseconds of silence after which others take over its work. */
  readonly goneAfter: number;
}

/** `silent`: milliseconds since its last beat, in the clock of the database. */
interface KnownMember extends Omit<Member, "goneAfter"> {
  readonly silent: number;
}

export interface Members {
  /** Records that the member is alive, and the names of its runners in the job queue. Returns the time of the database. */
  beat(member: Member, runners?: readonly string[]): Promise<number>;
  /**
   * Removes members that were silent for too long. Their passes end as interrupted, and other members can take their jobs. Silence counts
   * from the start of the database server, because no member could reach it before.
   */
  bury(now: number): Promise<readonly KnownMember[]>;
  leave(id: string): Promise<void>;
  /** Makes the jobs of a runner that has ended available to others. */
  unlock(runner: string): Promise<void>;
  all(): Promise<readonly KnownMember[]>;
}

interface MemberRow {
  readonly id: string;
  readonly host: string;
  readonly hostname: string;
  readonly pid: number;
  readonly started: number;
  readonly version: string;
  readonly silent: number;
  /** Names of its runners in the job queue, separated by spaces. */
  readonly worker: string | null;
  readonly repository: string | null;
}

export function membersOf(database: Database): Members {
  const { repository = null } = database.backend;
  return {
    beat: async ({ id, host, hostname, pid, started, version, goneAfter }, runners = []) => {
      const { rows } = await database.read((db) =>
        sql<{ seen: number }>`
          insert into members (id, host, hostname, pid, started, version, seen, gone_after, worker, repository)
          values (${id}, ${host}, ${hostname}, ${pid}, ${started}, ${version}, ${DATABASE_TIME}, ${goneAfter}, ${runners.join(" ")}, ${repository})
          on conflict (id) do update set seen = excluded.seen, gone_after = excluded.gone_after, worker = excluded.worker
          returning seen`.execute(db),
      );
      return rows[0]?.seen ?? 0;
    },
    bury: (now) =>
      database.write(async (transaction) => {
        const { rows } = await sql<MemberRow>`
          delete from members where id in (
            select id from members where greatest(seen, ${SERVER_START}) + gone_after < ${DATABASE_TIME} for update skip locked
          ) returning id, host, hostname, pid, started, version, worker, repository, ${DATABASE_TIME} - seen as silent`.execute(
          transaction,
        );
        for (const row of rows) {
          await interruptPassesOf(transaction, runnerName(row), now);
          if (row.worker) await unlock(transaction, row.worker.split(" "));
          const summary = `the agent with process ${row.pid} on ${row.hostname} is gone: others do its work`;
          await insertRow(transaction, {
            kind: "alarm",
            at: now,
            outcome: "agent-gone",
            summary,
            detail: { id: row.id, version: row.version },
            repository: row.repository ?? undefined,
          });
        }
        return rows.map(memberOf);
      }),
    leave: (id) =>
      database.write(async (transaction) => {
        await transaction.deleteFrom("members").where("id", "=", id).execute();
      }),
    unlock: (runner) => database.write((transaction) => unlock(transaction, [runner])),
    all: () =>
      database.read(async (db) => {
        const { rows } = await sql<MemberRow>`
          select id, host, hostname, pid, started, version, worker, repository, ${DATABASE_TIME} - seen as silent
          from members order by hostname, pid`.execute(db);
        return rows.map(memberOf);
      }),
  };
}

/** Makes the jobs of ended runners due as takeovers. A job without a key was replaced during its visit, so it is deleted. */
async function unlock(db: Kysely<Schema>, runners: readonly string[]): Promise<void> {
  const { rows } = await sql<{ id: string; key: string | null; priority: number }>`
    select id::text as id, key, priority from graphile_worker.jobs where locked_by = any(${[...runners]}::text[])`.execute(db);
  const replaced = rows.filter(({ key }) => key === null).map(({ id }) => id);
  const takenOver = rows.filter(({ key, priority }) => key !== null && priority > PRIORITY.takeover).map(({ id }) => id);
  await sql`select graphile_worker.force_unlock_workers(${[...runners]}::text[])`.execute(db);
  await sql`select graphile_worker.complete_jobs(${replaced}::bigint[])`.execute(db);
  await sql`select graphile_worker.reschedule_jobs(${takenOver}::bigint[], priority := ${PRIORITY.takeover}::integer)`.execute(db);
}

function memberOf({ worker: _, repository: __, ...row }: MemberRow): KnownMember {
  return row;
}
