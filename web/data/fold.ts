import type { HistoryRowView } from "../../src/agent/page/view.ts";

/** Consecutive equal rows of a history. */
export interface FoldedRow {
  /** The newest of them. */
  readonly row: HistoryRowView;
  readonly times: number;
  /** Time of the oldest of them, in seconds since 1970. */
  readonly since: number;
}

/** Folds consecutive rows that differ only in their time. Expects the newest row first. Rows of drift have a duration and stay separate. */
export function foldRows(rows: readonly HistoryRowView[]): FoldedRow[] {
  const folded: FoldedRow[] = [];
  for (const row of rows) {
    const last = folded.at(-1);
    if (last !== undefined && row.kind !== "drift" && textOf(row) === textOf(last.row))
      folded[folded.length - 1] = { row: last.row, times: last.times + 1, since: row.at };
    else folded.push({ row, times: 1, since: row.at });
  }
  return folded;
}

function textOf({ kind, target, path, author, outcome, summary, commit }: HistoryRowView): string {
  return JSON.stringify([kind, target, path, author, outcome, summary, commit?.id]);
}
