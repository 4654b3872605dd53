import type { FleetRow } from "../../src/agent/page/fleet-row.ts";
import type { PauseView } from "../../src/agent/page/view.ts";

export const FILTERS = ["failed", "refused", "drifted", "pending", "paused", "in-sync", "new"] as const;
export type Filter = (typeof FILTERS)[number];

/** Sort keys as in addresses, with the order that each has by default. */
export const SORTS = {
  attention: { words: "targets that need attention", usually: "descending" },
  name: { words: "name", usually: "ascending" },
  since: { words: "longest away", usually: "ascending" },
  what: { words: "most changes", usually: "descending" },
  mode: { words: "mode", usually: "ascending" },
  checked: { words: "longest not checked", usually: "ascending" },
} as const;
export type SortKey = keyof typeof SORTS;

export interface Selection {
  readonly words: string;
  readonly only: Filter | undefined;
  readonly sort: SortKey;
  /** Reverse order. */
  readonly isReversed: boolean;
  /** Label for groups. Empty for none. */
  readonly by: string;
}

export function selectionOf(query: URLSearchParams): Selection {
  const sort = query.get("sort") ?? "";
  return {
    words: query.get("q") ?? "",
    only: FILTERS.find((filter) => filter === query.get("only")),
    sort: (Object.keys(SORTS) as SortKey[]).find((key) => key === sort.replace(/^-/, "")) ?? "attention",
    isReversed: sort.startsWith("-"),
    by: query.get("by") ?? "",
  };
}

/** Returns the address that `selectionOf` parses. */
export function fleetLink({ words = "", only, sort = "attention", isReversed = false, by = "" }: Partial<Selection>): string {
  const said = {
    q: words,
    only: only ?? "",
    sort: isReversed ? `-${sort}` : sort === "attention" ? "" : sort,
    by,
  };
  const query = new URLSearchParams(Object.entries(said).filter(([, value]) => value !== ""));
  return query.size === 0 ? "#/" : `#/?${query}`;
}

const RANK: Readonly<Record<FleetRow["state"], number>> = { failed: 0, refused: 1, drifted: 2, pending: 3, new: 4, "in-sync": 5 };

/** Returns a function that finds the pause of a target. Its own pause precedes a pause of all targets. */
export function pauseFinder(pauses: readonly PauseView[]): (name: string) => PauseView | undefined {
  const byName = new Map(pauses.map((pause) => [pause.target, pause]));
  return (name) => byName.get(name) ?? byName.get("");
}

/** Returns the number of targets per filter. */
export function countsOf(rows: Iterable<FleetRow>, isPaused: (name: string) => boolean): Record<Filter, number> {
  const counts: Record<Filter, number> = { failed: 0, refused: 0, drifted: 0, pending: 0, paused: 0, "in-sync": 0, new: 0 };
  for (const row of rows) {
    counts[row.state] += 1;
    if (isPaused(row.name)) counts.paused += 1;
  }
  return counts;
}

/** Returns the rows that match the words and the filter, in order. Every word must be in the name, kind, mode, labels, person or note. */
export function select(rows: Iterable<FleetRow>, selection: Selection, isPaused: (name: string) => boolean): FleetRow[] {
  const { words, only } = selection;
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const found: FleetRow[] = [];
  for (const row of rows) {
    if (only === "paused" ? !isPaused(row.name) : only !== undefined && row.state !== only) continue;
    if (wanted.length > 0) {
      const text = `${row.name} ${row.kind} ${row.mode} ${row.labels} ${row.who} ${row.note}`.toLowerCase();
      if (!wanted.every((word) => text.includes(word))) continue;
    }
    found.push(row);
  }
  return found.sort(orderOf(selection));
}

const byName = (a: FleetRow, b: FleetRow): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
/** Sorts the earliest change first, and targets without one last. */
const bySince = (a: FleetRow, b: FleetRow): number => (a.since || Number.MAX_SAFE_INTEGER) - (b.since || Number.MAX_SAFE_INTEGER);

/** Sort values of the columns. Unknown values are last in both orders. */
const VALUES: Readonly<Record<SortKey, (row: FleetRow) => number | string | undefined>> = {
  attention: ({ state }) => RANK[state],
  name: ({ name }) => name,
  since: ({ since }) => since || undefined,
  what: ({ drifts, pending }) => -(drifts + pending) || undefined,
  mode: ({ mode }) => mode,
  checked: ({ checked }) => checked,
};

function orderOf({ sort, isReversed }: Selection): (a: FleetRow, b: FleetRow) => number {
  const value = VALUES[sort];
  const sign = isReversed ? -1 : 1;
  return (a, b) => {
    const [x, y] = [value(a), value(b)];
    if (x === y) return bySince(a, b) || byName(a, b);
    if (x === undefined || y === undefined) return x === undefined ? 1 : -1;
    return x < y ? -sign : sign;
  };
}
