import type { Kysely, Selectable, Transaction } from "kysely";
import { sql } from "kysely";
import { withAncestors } from "./ancestors.js";
import type { Database } from "./database.js";
import { ofRepository } from "./of-repository.js";
import { detailText, insertRows, keptPath, type NewRow } from "./rows.js";
import type { HistoryTable, Schema } from "./schema.js";
import {
  type DriftKey,
  type DriftKind,
  type DriftMemory,
  type DriftRecord,
  type DriftSeen,
  type DriftTotal,
  driftKey,
  type OpenDrift,
} from "./store.js";

/** Pass that found the drift. */
export interface PassRow {
  readonly id: number;
  readonly target: string;
  readonly repository: string | undefined;
}

/** Maximum number of ids per statement. */
const IDS = 64;

export function driftMemoryOf(database: Database): DriftMemory {
  const { repository } = database.backend;
  return {
    open: (target) =>
      database.read(async (db) => {
        const rows = await openRows(db, repository, target).orderBy(sql`at + 0`).orderBy("id").execute();
        return rows.map(openDriftOf);
      }),
    totals: () => database.read((db) => totals(db, repository)),
    heals: (target, since) => database.read((db) => heals(db, repository, target, since)),
  };
}

async function totals(db: Kysely<Schema>, repository: string | undefined): Promise<ReadonlyMap<string, DriftTotal>> {
  const rows = await openRows(db, repository, undefined)
    .clearSelect()
    .select((row) => [
      "target",
      sql<number>`count(*)`.as("count"),
      sql<number>`min(at)`.as("oldest"),
      row.fn.min("author").as("first"),
      row.fn.max("author").as("last"),
      sql<number>`count(distinct author)`.as("authorCount"),
    ])
    .groupBy("target")
    .execute();
  return new Map(
    rows.map(({ target, count, oldest, first, last, authorCount }) => {
      const authors = [...new Set([first, last])].filter((author) => author !== null);
      return [target, { count, oldest, authors, authorCount }];
    }),
  );
}

async function heals(
  db: Kysely<Schema>,
  repository: string | undefined,
  target: string,
  since: number,
): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom("history")
    .select(["path", "outcome", sql<number>`count(*)`.as("count")])
    .where("target", "=", target)
    .where("kind", "=", "heal")
    .where("at", ">=", since)
    .where(ofRepository(repository))
    .groupBy(["path", "outcome"])
    .execute();
  return new Map(rows.map(({ path, outcome, count }) => [driftKey({ path: path ?? "", change: outcome as DriftKind }), count]));
}

/** The condition matches the index of open drift, and no other index fits it. */
function openRows(db: Kysely<Schema>, repository: string | undefined, target: string | undefined) {
  const open = db.selectFrom("history").selectAll().where(sql<boolean>`kind || '' = 'drift'`).where(sql<boolean>`ended is null`);
  const rows = open.where(ofRepository(repository));
  return target === undefined ? rows : rows.where("target", "=", target);
}

function openDriftOf(row: Selectable<HistoryTable>): OpenDrift {
  const detail = JSON.parse(row.detail) as { authorTime?: string; view?: unknown };
  return {
    id: row.id,
    target: row.target,
    path: row.path ?? "",
    change: row.outcome as DriftKind,
    author: row.author ?? undefined,
    authorTime: detail.authorTime,
    view: detail.view,
    firstSeen: row.at,
    lastSeen: row.seen ?? row.at,
  };
}

/** Adds new drift, keeps existing drift and ends the rest. Returns the ended drift. */
export async function seeDrift(transaction: Transaction<Schema>, pass: PassRow, at: number, seen: DriftSeen): Promise<readonly DriftKey[]> {
  const before = (await openRows(transaction, pass.repository, pass.target).execute()).filter((row) => isWithin(row.path ?? "", seen.only));
  const known = new Map(before.map((row) => [driftKey({ path: row.path ?? "", change: row.outcome as DriftKind }), row]));
  const items = new Map(seen.items.map((item) => [driftKey({ ...item, path: keptPath(item.path) }), item]));
  const created: NewRow[] = [];
  for (const [key, item] of items) {
    const row = known.get(key);
    if (row === undefined) created.push(newDrift(item, pass, at));
    else await refresh(transaction, row, item);
  }
  const ended = [...known].filter(([key]) => !items.has(key)).map(([, row]) => row);
  const still = [...known].filter(([key]) => items.has(key)).map(([, row]) => row);
  await each(ended, (ids) => transaction.updateTable("history").set({ ended: at }).where("id", "in", ids).execute());
  // A row of an older version names no repository yet.
  const seenNow = { seen: at, ...(pass.repository === undefined ? {} : { repository: pass.repository }) };
  await each(still, (ids) => transaction.updateTable("history").set(seenNow).where("id", "in", ids).execute());
  await insertRows(transaction, created);
  return ended.map((row) => ({ path: row.path ?? "", change: row.outcome as DriftKind }));
}

function newDrift(item: DriftRecord, { id, target, repository }: PassRow, at: number): NewRow {
  return {
    kind: "drift",
    at,
    seen: at,
    target,
    pass: id,
    repository,
    path: item.path,
    author: item.author,
    outcome: item.change,
    summary: SUMMARIES[item.change],
    detail: detailOf(item),
  };
}

const SUMMARIES: Readonly<Record<DriftKind, string>> = {
  missing: "is declared and missing",
  extra: "exists and is not declared",
  differs: "differs from the declared state",
  order: "is in a different order",
  renamed: "exists under its old name",
  unmanaged: "is a rule that no document declares",
};

/** Another administrator can change the same path again. */
async function refresh(transaction: Transaction<Schema>, row: Selectable<HistoryTable>, item: DriftRecord): Promise<void> {
  const detail = detailText(detailOf(item));
  const author = item.author ?? null;
  if (row.detail === detail && row.author === author) return;
  await transaction.updateTable("history").set({ detail, author }).where("id", "=", row.id).execute();
}

function detailOf({ authorTime, view }: DriftRecord): Record<string, unknown> {
  return { authorTime, view };
}

function isWithin(path: string, only: string | undefined): boolean {
  if (only === undefined || only === "/" || path === only) return true;
  return path.startsWith(only) && (path[only.length] === "/" || path[only.length] === "[");
}

/** Returns the drift of `ended` that an operation at, above or below its path has healed. */
export function healed(ended: readonly DriftKey[], operations: readonly { readonly path: string }[]): readonly DriftKey[] {
  if (ended.length === 0 || operations.length === 0) return [];
  const exact = new Set(operations.map(({ path }) => path));
  const above = new Set(operations.flatMap(({ path }) => withAncestors(path)));
  return ended.filter(({ path }) => above.has(path) || withAncestors(path).some((ancestor) => exact.has(ancestor)));
}

async function each(rows: readonly { readonly id: number }[], work: (ids: number[]) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < rows.length; ) {
    const count = Math.min(IDS, 2 ** Math.floor(Math.log2(rows.length - from)));
    await work(rows.slice(from, from + count).map(({ id }) => id));
    from += count;
  }
}
