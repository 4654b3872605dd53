import type { Insertable, Kysely, Selectable } from "kysely";
import { redactUrls } from "../../core/redact-urls.js";
import type { HistoryEntry, HistoryKind } from "../../outcome/history.js";
import type { HistoryTable, Schema } from "./schema.js";

/** Maximum stored bytes of a path. PostgreSQL refuses index rows above 2,700. */
const PATH_BYTES = 2_000;
/** Maximum characters of a summary line. */
const SUMMARY = 500;
/** Maximum characters of a detail. A longer one is replaced by a note about its length. */
const DETAIL = 65_536;
/** Maximum rows per statement. The rest is split into powers of two, so that few different statements exist. */
const ROWS = 64;

/** History row for an insert. Missing values become null. */
export interface NewRow {
  readonly kind: HistoryKind;
  readonly at: number;
  readonly ended?: number | undefined;
  readonly seen?: number | undefined;
  readonly target?: string | undefined;
  readonly pass?: number | undefined;
  readonly path?: string | undefined;
  readonly author?: string | undefined;
  readonly outcome?: string | undefined;
  readonly summary: string;
  readonly detail?: Readonly<Record<string, unknown>> | undefined;
  readonly runner?: string | undefined;
  readonly repository?: string | undefined;
}

export function entryOf(row: Selectable<HistoryTable>): HistoryEntry {
  return {
    id: row.id,
    kind: row.kind as HistoryKind,
    at: row.at,
    ended: row.ended ?? undefined,
    seen: row.seen ?? undefined,
    target: row.target === "" ? undefined : row.target,
    pass: row.pass ?? undefined,
    path: row.path ?? undefined,
    author: row.author ?? undefined,
    outcome: row.outcome ?? undefined,
    summary: row.summary,
    detail: JSON.parse(row.detail) as Record<string, unknown>,
    repository: row.repository ?? undefined,
  };
}

/** Inserts a row and returns its id. */
export async function insertRow(db: Kysely<Schema>, row: NewRow): Promise<number> {
  const { id } = await db.insertInto("history").values(valuesOf(row)).returning("id").executeTakeFirstOrThrow();
  return id;
}

export async function insertRows(db: Kysely<Schema>, rows: readonly NewRow[]): Promise<void> {
  for (let from = 0; from < rows.length; ) {
    const count = Math.min(ROWS, 2 ** Math.floor(Math.log2(rows.length - from)));
    await db
      .insertInto("history")
      .values(rows.slice(from, from + count).map(valuesOf))
      .execute();
    from += count;
    if (from < rows.length) await turn();
  }
}

/** Yields to the event loop. SQLite blocks during a call, and a large plan must not block all other work. */
function turn(): Promise<void> {
  return new Promise((done) => setImmediate(done));
}

/** Returns the columns of a row. */
function valuesOf(row: NewRow): Insertable<HistoryTable> {
  return {
    kind: row.kind,
    at: row.at,
    ended: row.ended ?? null,
    seen: row.seen ?? null,
    target: row.target ?? "",
    pass: row.pass ?? null,
    path: row.path === undefined ? null : keptPath(row.path),
    author: row.author ?? null,
    outcome: row.outcome ?? null,
    summary: summaryText(row.summary),
    detail: detailText(row.detail ?? {}),
    runner: row.runner ?? null,
    repository: row.repository ?? null,
  };
}

/** Returns the path in the form in which the store keeps and compares it. */
export function keptPath(path: string): string {
  const bytes = Buffer.from(path, "utf8");
  if (bytes.length <= PATH_BYTES) return path.replaceAll("\0", "�");
  return new TextDecoder().decode(bytes.subarray(0, PATH_BYTES), { stream: true }).replaceAll("\0", "�");
}

export function summaryText(text: string): string {
  const line = redactUrls(text)
    .replaceAll(/\s*[\r\n]\s*/g, " ")
    .replaceAll("\0", "�");
  return line.length <= SUMMARY ? line : `${line.slice(0, SUMMARY - 1)}…`;
}

export function detailText(detail: Readonly<Record<string, unknown>>): string {
  const text = redactUrls(JSON.stringify(detail));
  return text.length <= DETAIL ? text : JSON.stringify({ omitted: `${text.length} characters` });
}
