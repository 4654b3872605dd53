import { type Kysely, type RawBuilder, type Selectable, sql, type Transaction } from "kysely";
import type { HistoryEntry } from "../../outcome/history.js";
import { count } from "../../report/format-counts.js";
import type { Database } from "./database.js";
import { healed, type PassRow, seeDrift } from "./drift.js";
import { setMark } from "./marks.js";
import { expectKnown } from "./migrate.js";
import { ofRepository } from "./of-repository.js";
import { keepPlan } from "./plans.js";
import { detailText, entryOf, insertRow, insertRows, type NewRow, summaryText } from "./rows.js";
import type { HistoryTable, Schema } from "./schema.js";
import type { DriftKey, FullPass, PassEnd, Passes, PassOutcome, PassStart } from "./store.js";

export function passesOf(database: Database): Passes {
  const { repository } = database.backend;
  return {
    start: async (pass) => {
      // A pass that writes to a target must not begin in a store that only a newer version knows.
      await database.reportingFailure(() => expectKnown(database.backend));
      return await database.write((transaction) => insertRow(transaction, { ...runningRow(pass), repository }));
    },
    finish: (id, end) =>
      database.write(async (transaction) => {
        const row = await transaction
          .selectFrom("history")
          .select(["target", "detail"])
          .where("id", "=", id)
          .where("kind", "=", "pass")
          .executeTakeFirst();
        if (row === undefined) throw new Error(`there is no pass ${id}`);
        const { summary, detail, ...ended } = endOf(JSON.parse(row.detail) as Begun, end);
        await transaction
          .updateTable("history")
          .set({ ...ended, summary: summaryText(summary), detail: detailText(detail) })
          .where("id", "=", id)
          .execute();
        await keepFindings(transaction, { id, target: row.target, repository }, end);
      }),
    record: (pass, end) =>
      database.write(async (transaction) => {
        const id = await insertRow(transaction, { ...completeRow(pass, end), repository });
        await keepFindings(transaction, { id, target: pass.target, repository }, end);
        return id;
      }),
    latest: () => database.read((db) => latest(db, repository)),
    latestFull: () => database.read((db) => latestFull(db, repository)),
    lastReached: () => database.read((db) => lastReached(db, repository)),
  };
}

interface Begun {
  readonly pass: string;
  readonly trigger: string;
  readonly commit: string | undefined;
}

function begunOf({ pass, trigger, commit }: PassStart): Begun {
  return { pass, trigger, commit };
}

function runningRow(start: PassStart): NewRow {
  const { target, started, pass, trigger, runner } = start;
  return { kind: "pass", at: started, target, summary: `${pass} pass, by ${trigger}: running`, detail: { ...begunOf(start) }, runner };
}

/** Returns the row of a complete pass. */
function completeRow(start: PassStart, end: PassEnd): NewRow {
  return { ...runningRow(start), ...endOf(begunOf(start), end) };
}

function endOf(
  begun: Begun,
  { outcome, exitCode, reason, waiting, behind, unmanaged, levels, durations, error, plan, asserted, ended }: PassEnd,
) {
  return {
    kind: outcome === "skipped" ? "skip" : "pass",
    ended,
    outcome,
    summary: `${begun.pass} pass, by ${begun.trigger}: ${WORDS[outcome]}${reason === undefined ? "" : `: ${reason}`}`,
    detail: { ...begun, exitCode, reason, waiting, behind, unmanaged, levels, durations, digest: plan?.digest, asserted, error },
  } as const;
}

/** Stores the findings of a pass, in addition to its row. */
async function keepFindings(transaction: Transaction<Schema>, pass: PassRow, end: PassEnd): Promise<void> {
  const { target } = pass;
  const { plan } = end;
  const known = plan !== undefined && (await keepPlan(transaction, pass, plan, end.ended));
  const ended = end.drift === undefined ? [] : await seeDrift(transaction, pass, end.ended, end.drift);
  const heals = end.heals ?? healed(ended, end.operations ?? []);
  const rows = [...(known ? [] : planRows(end)), ...workRows(end), ...healRows(heals, end.ended)];
  await insertRows(
    transaction,
    rows.map((one) => ({ ...one, target, pass: pass.id, repository: pass.repository })),
  );
  if (end.mark !== undefined) await setMark(transaction, target, pass.repository, end.mark);
}

const WORDS: Readonly<Record<PassOutcome, string>> = {
  "in-sync": "in sync",
  drifted: "drifted",
  pending: "changes are pending",
  applied: "applied",
  refused: "refused",
  failed: "failed",
  partial: "partly applied",
  skipped: "skipped",
  interrupted: "interrupted",
};

/** Returns rows for the plan and its refusals. A repeated plan adds none. */
function planRows({ plan, refusals, ended }: PassEnd): NewRow[] {
  const rows: NewRow[] = (refusals ?? []).map(({ guard, message, path }) => ({
    kind: "refusal",
    at: ended,
    path,
    outcome: guard,
    summary: message,
  }));
  if (plan === undefined) return rows;
  const { digest, changes, operations, commitOnly } = plan;
  const total = Object.values(changes).reduce((sum, count) => sum + count, 0);
  const summary = commitOnly ? "commit only" : `${count(total, "change")}, ${count(operations, "operation")}`;
  const outcome = plan.refusals > 0 ? "refused" : total === 0 && !commitOnly ? "empty" : "planned";
  return [{ kind: "plan", at: ended, outcome, summary, detail: { digest, changes, operations, refusals: plan.refusals } }, ...rows];
}

function workRows({ operations, job, ended }: PassEnd): NewRow[] {
  const rows: NewRow[] = (operations ?? []).map(({ action, path, phase, acknowledged }) => ({
    kind: "operation",
    at: acknowledged,
    path,
    outcome: action,
    summary: `${phase} phase`,
    detail: { phase },
  }));
  if (job !== undefined) {
    const number = job.job === undefined ? "" : `job ${job.job}: `;
    rows.push({ kind: "job", at: ended, outcome: job.result, summary: `${number}${job.lines.join("; ")}`, detail: { ...job } });
  }
  return rows;
}

function healRows(heals: readonly DriftKey[], at: number): NewRow[] {
  return heals.map(({ path, change }) => ({ kind: "heal", at, path, outcome: change, summary: "reverted" }));
}

/**
 * Returns the newest finished row of each target of the repository that meets the condition. The query walks the index from one target's name
 * to the next. `kind || ''` keeps the planner from reading all passes of a target first.
 */
async function newest(
  db: Kysely<Schema>,
  repository: string | undefined,
  condition: RawBuilder<boolean>,
): Promise<readonly Selectable<HistoryTable>[]> {
  const { rows } = await sql<Selectable<HistoryTable>>`
    with recursive names(target) as (
      select min(target) from history where target > ''
      union all
      select (select min(target) from history where target > names.target) from names where names.target is not null
    )
    select * from history where id in (
      select (
        select id from history
        where history.target = names.target and ${condition} and ${ofRepository(repository)} and ended is not null
        order by at desc, id desc limit 1
      )
      from names where names.target is not null
    )
    order by target`.execute(db);
  return rows;
}

async function latest(db: Kysely<Schema>, repository: string | undefined): Promise<readonly HistoryEntry[]> {
  return (await newest(db, repository, sql`kind || '' in ('pass', 'skip')`)).map(entryOf);
}

async function latestFull(db: Kysely<Schema>, repository: string | undefined): Promise<readonly FullPass[]> {
  const rows = await newest(db, repository, sql`kind || '' = 'pass' and outcome <> 'interrupted'`);
  return rows.map((row) => ({ entry: entryOf(row), runner: row.runner ?? "" }));
}

async function lastReached(db: Kysely<Schema>, repository: string | undefined): Promise<ReadonlyMap<string, number>> {
  const rows = await newest(db, repository, sql`kind || '' in ('pass', 'skip') and outcome not in ('failed', 'interrupted')`);
  return new Map(rows.map(({ target, ended, at }) => [target, ended ?? at]));
}

/** Marks the passes of an ended process as interrupted. */
export async function interruptPassesOf(transaction: Transaction<Schema>, runner: string, now: number): Promise<void> {
  await transaction
    .updateTable("history")
    .set({ ended: now, outcome: "interrupted", summary: sql`replace(summary, ': running', ': interrupted')` })
    .where(sql<boolean>`kind || '' = 'pass'`)
    .where(sql<boolean>`ended is null`)
    .where("runner", "=", runner)
    .execute();
}
