import type { FleetRow } from "../../src/agent/page/fleet-row.ts";
import type { PauseView } from "../../src/agent/page/view.ts";

export const FILTERS = ["failed", "refused", "drifted", "pending", "paused", "in-sync", "new"] as const;
export type Filter = (typeof FILTERS)[number];

export type SortKey = "attention" | "name" | "since" | "checked";

export interface Selection {
  readonly words: string;
  readonly only: Filter | undefined;
  readonly sort: SortKey;
}

const RANK: Readonly<Record<FleetRow["state"], number>> = { failed: 0, refused: 1, drifted: 2, pending: 3, new: 4, "in-sync": 5 };

/** Finds the pause that holds for a target: its own before one of all. */
export function pauseFinder(pauses: readonly PauseView[]): (name: string) => PauseView | undefined {
  const byName = new Map(pauses.map((pause) => [pause.target, pause]));
  return (name) => byName.get(name) ?? byName.get("");
}

/** How many targets each filter shows. */
export function countsOf(rows: Iterable<FleetRow>, isPaused: (name: string) => boolean): Record<Filter, number> {
  const counts: Record<Filter, number> = { failed: 0, refused: 0, drifted: 0, pending: 0, paused: 0, "in-sync": 0, new: 0 };
  for (const row of rows) {
    counts[row.state] += 1;
    if (isPaused(row.name)) counts.paused += 1;
  }
  return counts;
}

/** Rows that the words and the filter leave, in order. Every word must be in the name, kind, mode, person or note. */
export function select(rows: Iterable<FleetRow>, { words, only, sort }: Selection, isPaused: (name: string) => boolean): FleetRow[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const found: FleetRow[] = [];
  for (const row of rows) {
    if (only === "paused" ? !isPaused(row.name) : only !== undefined && row.state !== only) continue;
    if (wanted.length > 0) {
      const text = `${row.name} ${row.kind} ${row.mode} ${row.who} ${row.note}`.toLowerCase();
      if (!wanted.every((word) => text.includes(word))) continue;
    }
    found.push(row);
  }
  return found.sort(ORDERS[sort]);
}

const byName = (a: FleetRow, b: FleetRow): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
/** The longest away from its state first; those that are where they belong last. */
const bySince = (a: FleetRow, b: FleetRow): number => (a.since || Number.MAX_SAFE_INTEGER) - (b.since || Number.MAX_SAFE_INTEGER);

const ORDERS: Readonly<Record<SortKey, (a: FleetRow, b: FleetRow) => number>> = {
  attention: (a, b) => RANK[a.state] - RANK[b.state] || bySince(a, b) || byName(a, b),
  name: byName,
  since: (a, b) => bySince(a, b) || byName(a, b),
  checked: (a, b) => a.checked - b.checked || byName(a, b),
};
