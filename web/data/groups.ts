import type { FleetRow } from "../../src/agent/page/fleet-row.ts";

/** Row of the overview: a target or the head of a group. */
export type Item = { readonly key: string; readonly row: FleetRow } | { readonly key: string; readonly head: Head };

export interface Head {
  /** Common value of the group. Empty for targets without one. */
  readonly value: string;
  readonly count: number;
  /** Number of targets by state. */
  readonly states: Readonly<Partial<Record<FleetRow["state"], number>>>;
  readonly isShut: boolean;
}

/** Returns the possible groupings: the labels of the targets, `group`, and `kind`. */
export function groupingsOf(rows: Iterable<FleetRow>): readonly string[] {
  const found = new Set<string>();
  for (const { labels } of rows) if (labels !== "") for (const label of labels.split("\n")) found.add(label.slice(0, label.indexOf("=")));
  return [...[...found].sort(), "kind"];
}

/**
 * Returns the rows in groups, which are sorted by name. Rows keep their order within a group. A target is in each of its groups, and
 * targets without the label are last. An empty `by` returns no heads.
 */
export function grouped(rows: readonly FleetRow[], by: string, shut: ReadonlySet<string>): readonly Item[] {
  if (by === "") return rows.map((row) => ({ key: row.name, row }));
  const groups = new Map<string, FleetRow[]>();
  for (const row of rows) {
    for (const value of valuesOf(row, by)) {
      const others = groups.get(value);
      if (others === undefined) groups.set(value, [row]);
      else others.push(row);
    }
  }
  return [...groups].sort(([a], [b]) => order(a, b)).flatMap(([value, members]) => itemsOf(value, members, shut.has(value)));
}

function itemsOf(value: string, members: readonly FleetRow[], isShut: boolean): readonly Item[] {
  const states: Partial<Record<FleetRow["state"], number>> = {};
  for (const { state } of members) states[state] = (states[state] ?? 0) + 1;
  const head: Item = { key: `= ${value}`, head: { value, count: members.length, states, isShut } };
  return isShut ? [head] : [head, ...members.map((row) => ({ key: `${value} ${row.name}`, row }))];
}

function valuesOf(row: FleetRow, by: string): readonly string[] {
  if (by === "kind") return [row.kind];
  const start = `${by}=`;
  const values = row.labels.split("\n").flatMap((label) => (label.startsWith(start) ? [label.slice(start.length)] : []));
  return values.length === 0 ? [""] : values;
}

/** Compares numbers in names by value. Empty names are last. */
function order(a: string, b: string): number {
  if (a === "" || b === "") return a === b ? 0 : a === "" ? 1 : -1;
  return a.localeCompare(b, "en", { numeric: true });
}
