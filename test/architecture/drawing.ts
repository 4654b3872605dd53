import { type Import, roomOf } from "./imports.js";

/** Imports between rooms without transitive ones: a room has no arrow to a room that it reaches through another room. */
export function arrowsOf(imports: readonly Import[]): ReadonlyMap<string, readonly string[]> {
  const all = new Map<string, Set<string>>();
  for (const { from, to } of imports) {
    const [above, below] = [roomOf(from), roomOf(to)];
    if (above !== below) all.set(above, (all.get(above) ?? new Set()).add(below));
  }
  const reaches = (from: string, to: string): boolean => [...(all.get(from) ?? [])].some((next) => next === to || reaches(next, to));
  return new Map([...all].map(([from, below]) => [from, [...below].filter((to) => ![...below].some((other) => reaches(other, to)))]));
}

/** The arrows as a drawing that code hosts show, in the order of `rooms`. */
export function drawingOf(arrows: ReadonlyMap<string, readonly string[]>, rooms: readonly string[]): string {
  const place = (room: string): number => rooms.indexOf(room);
  const lines = [...arrows]
    .sort(([a], [b]) => place(b) - place(a))
    .map(([from, below]) => `  ${from} --> ${below.toSorted((a, b) => place(b) - place(a)).join(" & ")}`);
  return ["```mermaid", "flowchart TD", ...lines, "```"].join("\n");
}
