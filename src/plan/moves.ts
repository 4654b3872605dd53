import { longestIncreasing } from "./subsequence.js";

/** A move of one entry: to the top (`after` undefined), or directly after another entry. */
export interface Move {
  readonly name: string;
  readonly after: string | undefined;
}

/**
 * Returns the fewest moves that turn `from` into `to`, which has the same names, without moving a pinned entry. Between two pinned entries
 * this is the length minus the longest increasing subsequence. The moves are in the order of `to`: each entry follows its predecessor,
 * which is already in place. O(n log n).
 */
export function minimalMoves(from: readonly string[], to: readonly string[], pinned: ReadonlySet<string>): Move[] {
  const kept = keptBetweenPinned(from, to, pinned);
  const moves: Move[] = [];
  for (const [index, name] of to.entries()) if (!kept.has(name)) moves.push({ name, after: to[index - 1] });
  return moves;
}

/**
 * Returns the pinned entries and, for each gap between them, a longest run of entries that are in this gap on both sides in the same order.
 */
function keptBetweenPinned(from: readonly string[], to: readonly string[], pinned: ReadonlySet<string>): Set<string> {
  const places = new Map<string, { gap: number; rank: number }>();
  let gap = 0;
  for (const [rank, name] of to.entries()) {
    if (pinned.has(name)) gap += 1;
    else places.set(name, { gap, rank });
  }
  const kept = new Set<string>();
  let run: string[] = [];
  const close = (): void => {
    for (const index of longestIncreasing(run.map((name) => places.get(name)?.rank ?? 0))) kept.add(run[index] ?? "");
    run = [];
  };
  gap = 0;
  for (const name of from) {
    if (pinned.has(name)) {
      close();
      kept.add(name);
      gap += 1;
    } else if (places.get(name)?.gap === gap) run.push(name);
  }
  close();
  return kept;
}
