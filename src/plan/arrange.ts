import type { Position } from "../desired/model.js";
import { longestIncreasing } from "./subsequence.js";

/** One ordered list: its live entries and their declaration. Names are unique in each array. */
export interface Arrangement {
  /** Live entries that stay, managed and unmanaged, in live order. */
  readonly live: readonly string[];
  /** Declared entries in declared order, including new ones. */
  readonly declared: readonly string[];
  readonly position?: Position | undefined;
  readonly contiguous?: boolean | undefined;
}

/** The desired order of all entries, or the reason why it is undefined. */
export type Arranged =
  | { readonly order: readonly string[] }
  | { readonly problem: "anchor-missing"; readonly anchor: string }
  | { readonly problem: "no-place"; readonly entry: string };

/**
 * Computes the desired order of an ordered list (docs/desired-state.md#order).
 * - Unmanaged entries never move relative to each other.
 * - Declared entries keep their declared order. As many as possible stay in place; the others follow their declared predecessor, or precede
 *   their successor.
 * - `$position` applies to the block: its first entry is at the top, its last one at the bottom, or all of it before or after the anchor.
 * - With `contiguous`, no unmanaged entry remains between declared ones.
 */
export function arrange({ live, declared, position, contiguous = false }: Arrangement): Arranged {
  const declaredNames = new Set(declared);
  const unmanaged = live.filter((name) => !declaredNames.has(name));
  if (unmanaged.length === 0 && (position === undefined || !("anchor" in position))) return { order: declared };
  const anchor = position !== undefined && "anchor" in position ? unmanaged.indexOf(position.anchor) : 0;
  if (anchor === -1 && position !== undefined && "anchor" in position) return { problem: "anchor-missing", anchor: position.anchor };
  const gaps = gapsOf(live, declaredNames);
  if (contiguous) return contiguousBlock(declared, unmanaged, gaps, position, anchor);
  const kept = keptInPlace(live, declared, gaps, allowedGaps(declared, unmanaged.length, position, anchor));
  return insertOthers(live, declared, declaredNames, kept, unmanaged, position, anchor);
}

/** Returns for each declared live entry the number of unmanaged entries before it. */
function gapsOf(live: readonly string[], declaredNames: ReadonlySet<string>): Map<string, number> {
  const gaps = new Map<string, number>();
  let gap = 0;
  for (const name of live) {
    if (declaredNames.has(name)) gaps.set(name, gap);
    else gap += 1;
  }
  return gaps;
}

/** Returns a test whether `$position` allows an entry in a gap. */
function allowedGaps(
  declared: readonly string[],
  last: number,
  position: Position | undefined,
  anchor: number,
): (name: string, gap: number) => boolean {
  switch (position?.where) {
    case "top":
      return (name, gap) => name !== declared[0] || gap === 0;
    case "bottom":
      return (name, gap) => name !== declared.at(-1) || gap === last;
    case "before":
      return (_name, gap) => gap <= anchor;
    case "after":
      return (_name, gap) => gap > anchor;
    default:
      return () => true;
  }
}

function keptInPlace(
  live: readonly string[],
  declared: readonly string[],
  gaps: ReadonlyMap<string, number>,
  allowed: (name: string, gap: number) => boolean,
): Set<string> {
  const rank = new Map(declared.map((name, index) => [name, index]));
  const candidates = live.filter((name) => rank.has(name) && allowed(name, gaps.get(name) ?? 0));
  const kept = longestIncreasing(candidates.map((name) => rank.get(name) ?? 0));
  return new Set(kept.map((index) => candidates[index] ?? ""));
}

/** Inserts the entries that move next to the ones that stay. */
function insertOthers(
  live: readonly string[],
  declared: readonly string[],
  declaredNames: ReadonlySet<string>,
  kept: ReadonlySet<string>,
  unmanaged: readonly string[],
  position: Position | undefined,
  anchor: number,
): Arranged {
  const followers = new Map<string, string[]>();
  const leaders: string[] = [];
  const trailers: string[] = [];
  let predecessor: string | undefined;
  for (const [index, name] of declared.entries()) {
    if (kept.has(name)) predecessor = name;
    else if (position?.where === "bottom" && index === declared.length - 1) trailers.push(name);
    else if (predecessor === undefined) leaders.push(name);
    else appendTo(followers, predecessor, name);
  }
  const first = declared.find((name) => kept.has(name));
  const order: string[] = [];
  const atTop = position?.where === "top";
  if (atTop) order.push(...leaders);
  const place = first === undefined && !atTop ? placeOfNewBlock(unmanaged, position, anchor) : undefined;
  if (first === undefined && !atTop && place === undefined && leaders.length > 0) return { problem: "no-place", entry: leaders[0] ?? "" };
  let seen = 0;
  const leadHere = (): void => {
    if (place === seen) order.push(...leaders);
  };
  leadHere();
  for (const name of live) {
    if (declaredNames.has(name) && !kept.has(name)) continue;
    if (name === first && !atTop) order.push(...leaders);
    order.push(name, ...(followers.get(name) ?? []));
    if (declaredNames.has(name)) continue;
    seen += 1;
    leadHere();
  }
  return { order: [...order, ...trailers] };
}

function appendTo(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

/** Returns the gap for a block without live entries, or undefined if `$position` does not define it. */
function placeOfNewBlock(unmanaged: readonly string[], position: Position | undefined, anchor: number): number | undefined {
  switch (position?.where) {
    case "top":
      return 0;
    case "bottom":
      return unmanaged.length;
    case "before":
      return anchor;
    case "after":
      return anchor + 1;
    default:
      return unmanaged.length === 0 ? 0 : undefined;
  }
}

function contiguousBlock(
  declared: readonly string[],
  unmanaged: readonly string[],
  gaps: ReadonlyMap<string, number>,
  position: Position | undefined,
  anchor: number,
): Arranged {
  const firstLive = declared.find((name) => gaps.has(name));
  const gap = placeOfNewBlock(unmanaged, position, anchor) ?? (firstLive === undefined ? undefined : gaps.get(firstLive));
  if (gap === undefined) return declared.length === 0 ? { order: unmanaged } : { problem: "no-place", entry: declared[0] ?? "" };
  return { order: [...unmanaged.slice(0, gap), ...declared, ...unmanaged.slice(gap)] };
}
