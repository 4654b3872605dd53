import { sql } from "kysely";
import type { Database } from "../database.js";
import { interruptPassesOf } from "../passes.js";
import { insertRow } from "../rows.js";
import { type Runner, runnerName } from "../store.js";
import { DATABASE_TIME } from "./sql.js";

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
  /** Records that the member is alive. */
  beat(member: Member): Promise<void>;
  /** Removes members that were silent for too long. Their passes end as interrupted, and other members can take their jobs. */
  bury(now: number): Promise<readonly KnownMember[]>;
  leave(id: string): Promise<void>;
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
  /** Name with which older agents lock jobs. */
  readonly worker: string | null;
}

export function membersOf(database: Database): Members {
  return {
    beat: async ({ id, host, hostname, pid, started, version, goneAfter }) => {
      await database.read((db) =>
        sql`
          insert into members (id, host, hostname, pid, started, version, seen, gone_after)
          values (${id}, ${host}, ${hostname}, ${pid}, ${started}, ${version}, ${DATABASE_TIME}, ${goneAfter})
          on conflict (id) do update set seen = excluded.seen`.execute(db),
      );
    },
    bury: (now) =>
      database.write(async (transaction) => {
        const { rows } = await sql<MemberRow>`
          delete from members where id in (
            select id from members where seen + gone_after < ${DATABASE_TIME} for update skip locked
          ) returning id, host, hostname, pid, started, version, worker, ${DATABASE_TIME} - seen as silent`.execute(transaction);
        for (const row of rows) {
          await interruptPassesOf(transaction, runnerName(row), now);
          if (row.worker !== null)
            await sql`select graphile_worker.force_unlock_workers(array[${row.worker}]::text[])`.execute(transaction);
          const summary = `the agent with process ${row.pid} on ${row.hostname} is gone: others do its work`;
          await insertRow(transaction, {
            kind: "alarm",
            at: now,
            outcome: "agent-gone",
            summary,
            detail: { id: row.id, version: row.version },
          });
        }
        return rows.map(memberOf);
      }),
    leave: (id) =>
      database.write(async (transaction) => {
        await transaction.deleteFrom("members").where("id", "=", id).execute();
      }),
    all: () =>
      database.read(async (db) => {
        const { rows } = await sql<MemberRow>`
          select id, host, hostname, pid, started, version, worker, ${DATABASE_TIME} - seen as silent
          from members order by hostname, pid`.execute(db);
        return rows.map(memberOf);
      }),
  };
}

function memberOf({ worker: _, ...row }: MemberRow): KnownMember {
  return row;
}
