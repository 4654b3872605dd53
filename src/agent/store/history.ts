import { type Expression, type Kysely, PostgresAdapter, type SqlBool, sql } from "kysely";
import { PlumblineError } from "../../core/errors.js";
import type { History, HistoryEntry, HistoryKind, HistoryPage, HistoryQuery } from "../../outcome/history.js";
import type { Database } from "./database.js";
import { ofRepository } from "./of-repository.js";
import { entryOf, insertRow, keptPath } from "./rows.js";
import type { Schema } from "./schema.js";

/** Maximum number of rows below a path that are read and sorted. For more rows, a search by time is fast enough. */
const RARE = 20_000;

interface Position {
  readonly at: number;
  readonly id: number;
}

export function historyOf(database: Database): History {
  const { repository } = database.backend;
  return {
    find: (query) =>
      database.read((db) =>
        find(db, { ...query, path: query.path === "/" ? undefined : query.path, repository: query.repository ?? repository }),
      ),
    note: (entry) => database.write((transaction) => insertRow(transaction, { ...entry, repository })),
  };
}

async function find(db: Kysely<Schema>, query: HistoryQuery): Promise<HistoryPage> {
  const after = query.cursor === undefined ? undefined : positionOf(query.cursor);
  const rare = query.path !== undefined && (await isRare(db, query.path));
  const kinds = query.kinds === undefined || query.kinds.length === 0 ? [undefined] : [...new Set(query.kinds)];
  const found: HistoryEntry[] = [];
  for (const kind of kinds) found.push(...(await findOfKind(db, query, kind, after, rare)));
  const entries = found.sort((a, b) => b.at - a.at || b.id - a.id).slice(0, query.limit);
  const last = entries.at(-1);
  const next = found.length > query.limit && last !== undefined ? `${last.at}.${last.id}` : undefined;
  return { entries, next, hasOtherRepositories: await hasOthers(db, query.repository) };
}

/**
 * Finds rows of one or all kinds, with one row more than the limit. SQLite has no statistics, so the index is chosen here: by a rare path,
 * else by author, else by target and kind, else by time. The other conditions are written so that no index fits them.
 */
async function findOfKind(
  db: Kysely<Schema>,
  query: HistoryQuery,
  kind: HistoryKind | undefined,
  after: Position | undefined,
  rare: boolean,
): Promise<HistoryEntry[]> {
  const { target, targets, since, until, path, author, repository } = query;
  const byAuthor = author !== undefined && !rare;
  const text = (column: "target" | "kind" | "author", leads: boolean) => (leads ? sql.ref(column) : sql`${sql.ref(column)} || ''`);
  const at = rare ? sql<number>`at + 0` : sql<number>`at`;
  const conditions: Expression<SqlBool>[] = [];
  if (path !== undefined) conditions.push(rare || keepsStatistics(db) ? inRange(path) : startsWith(path));
  if (author !== undefined) conditions.push(sql`${text("author", byAuthor)} = ${author}`);
  if (target !== undefined) conditions.push(sql`${text("target", !rare && !byAuthor)} = ${target}`);
  if (targets !== undefined) conditions.push(sql`${text("target", false)} in (select value from ${listed(db, targets)})`);
  if (kind !== undefined) conditions.push(sql`${text("kind", !rare && !byAuthor)} = ${kind}`);
  if (repository !== undefined) conditions.push(ofRepository(repository));
  if (since !== undefined) conditions.push(sql`${at} >= ${since}`);
  if (until !== undefined) conditions.push(sql`${at} < ${until}`);
  if (after !== undefined) conditions.push(sql`(${at}, id) < (${after.at}, ${after.id})`);
  let select = db.selectFrom("history").selectAll();
  for (const condition of conditions) select = select.where(condition);
  const rows = await select
    .orderBy(at, "desc")
    .orderBy("id", "desc")
    .limit(query.limit + 1)
    .execute();
  return rows.map(entryOf);
}

async function hasOthers(db: Kysely<Schema>, repository: string | undefined): Promise<boolean> {
  if (repository === undefined) return false;
  return (await db.selectFrom("history").select("id").where("repository", "<>", repository).limit(1).executeTakeFirst()) !== undefined;
}

async function isRare(db: Kysely<Schema>, path: string): Promise<boolean> {
  const some = db.selectFrom("history").select("id").where(inRange(path)).limit(RARE);
  const { count } = await db.selectFrom(some.as("some")).select(sql<number>`count(*)`.as("count")).executeTakeFirstOrThrow();
  return count < RARE;
}

/** Matches paths at or below an XPath as ranges of the index. A deeper path continues with `/` or `[`. */
function inRange(path: string): Expression<SqlBool> {
  const kept = keptPath(path);
  const column = sql.ref("path");
  return sql<SqlBool>`(${column} = ${kept} or (${column} >= ${`${kept}/`} and ${column} < ${`${kept}0`}) or (${column} >= ${`${kept}[`} and ${column} < ${`${kept}\\`}))`;
}

/** PostgreSQL estimates the rows of a range, but its estimate for an expression is wrong. */
function keepsStatistics(db: Kysely<Schema>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}

/** Passes a list of any length as one parameter. */
function listed(db: Kysely<Schema>, texts: readonly string[]) {
  const json = JSON.stringify(texts);
  return keepsStatistics(db) ? sql`jsonb_array_elements_text(${json}::jsonb) as t(value)` : sql`json_each(${json})`;
}

/** Matches paths at or below an XPath without an index. */
function startsWith(path: string): Expression<SqlBool> {
  const kept = keptPath(path);
  const length = [...kept].length;
  const column = sql.ref("path");
  return sql<SqlBool>`(substr(${column}, 1, ${sql.lit(length)}) = ${kept} and substr(${column}, ${sql.lit(length + 1)}, 1) in ('', '/', '['))`;
}

function positionOf(cursor: string): Position {
  const [, at, id] = /^(-?\d{1,16})\.(\d{1,16})$/.exec(cursor) ?? [];
  if (at !== undefined && id !== undefined) return { at: Number(at), id: Number(id) };
  throw new PlumblineError("option-invalid", `"${cursor}" is not the cursor of a page.`, {
    next: "Use `next` of the previous page unchanged.",
  });
}
