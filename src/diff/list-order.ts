import type { DesiredNode } from "../desired/model.js";
import { arrange } from "../plan/arrange.js";
import { minimalMoves } from "../plan/moves.js";
import { longestIncreasing } from "../plan/subsequence.js";
import type { TreeNode } from "../tree/node.js";
import type { Path } from "../tree/path.js";
import type { Shape } from "../tree/shape.js";
import type { Results } from "./results.js";

/** A live entry that stays; `rank` is its index in desired state, -1 where it is not ours. */
export interface Staying {
  readonly node: TreeNode;
  /** The name that it will have. */
  readonly name: string;
  readonly rank: number;
}

/** One ordered list whose entries were paired. */
export interface PairedList {
  readonly desired: DesiredNode;
  readonly shape: Shape;
  readonly path: Path;
  /** In live order. */
  readonly staying: readonly Staying[];
  readonly shadows: (entry: TreeNode, shape: Shape) => boolean;
}

/** Reports how an ordered list's order differs from what is wanted, and the foreign entries that stand in its way (FORMAT.md 6). */
export function compareOrder(list: PairedList, results: Results): void {
  const { desired, path, staying } = list;
  const { position, contiguous } = desired.directive ?? {};
  const isOursAlone = staying.every((entry) => entry.rank >= 0) && (position === undefined || !("anchor" in position));
  if (isOursAlone) {
    compareOwn(list, results);
    return;
  }
  const declared = declaredNames(desired);
  if (declared.length === 0) return;
  const before = staying.map((entry) => entry.name);
  const arranged = arrange({ live: before, declared, position, contiguous });
  if ("problem" in arranged) {
    if (arranged.problem === "anchor-missing") reportAnchor(desired, path, arranged.anchor, results);
    else reportNoPlace(desired, path, arranged.entry, results);
    return;
  }
  const live = new Set(before);
  const wanted = arranged.order.filter((name) => live.has(name));
  const foreign = new Map(staying.filter(({ rank }) => rank < 0).map(({ name, node }) => [name, node]));
  const moved = minimalMoves(before, wanted, new Set(foreign.keys())).map((move) => move.name);
  if (moved.length > 0) results.add({ kind: "order", path, before, after: arranged.order, moved });
  reportForeign(list, arranged.order, foreign, results);
}

/** Where nobody else has entries, ranks tell all: those outside a longest run that rises have to move. */
function compareOwn({ desired, path, staying }: PairedList, results: Results): void {
  if (staying.every((entry, index) => index === 0 || (staying[index - 1]?.rank ?? -1) < entry.rank)) return;
  const kept = new Set(longestIncreasing(staying.map((entry) => entry.rank)));
  const moved = staying.filter((_, index) => !kept.has(index)).sort((a, b) => a.rank - b.rank);
  const before = staying.map((entry) => entry.name);
  results.add({ kind: "order", path, before, after: declaredNames(desired), moved: moved.map((entry) => entry.name) });
}

/** Names of the entries that are ours, in declared order. */
export function declaredNames(desired: DesiredNode): string[] {
  const names: string[] = [];
  for (const child of desired.children) {
    if (child.name !== undefined && child.declared && child.directive?.ignored !== true) names.push(child.name);
  }
  return names;
}

function reportAnchor(desired: DesiredNode, path: Path, anchor: string, results: Results): void {
  const message = `"${anchor}", the anchor of $position, is not in this list, or is deleted by the same plan.`;
  results.find("anchor-missing", path, message, desired.origin, true);
}

function reportNoPlace(desired: DesiredNode, path: Path, entry: string, results: Results): void {
  const origin = desired.children.find((child) => child.name === entry)?.origin ?? desired.origin;
  const message = `Where does "${entry}" go? None of its declared neighbours is live and others have entries here: write $position.`;
  results.find("no-place", path.entry(entry), message, origin, true);
}

function reportForeign(list: PairedList, order: readonly string[], foreign: ReadonlyMap<string, TreeNode>, results: Results): void {
  const first = order.findIndex((name) => !foreign.has(name));
  const last = order.findLastIndex((name) => !foreign.has(name));
  const entryShape = list.shape.child("entry");
  for (let at = 0; at < last; at += 1) {
    const name = order[at] ?? "";
    const node = foreign.get(name);
    if (node === undefined) continue;
    const path = list.path.entry(name, node.tag);
    const { origin } = list.desired;
    if (list.shadows(node, entryShape)) {
      results.find("shadowed", path, `"${name}" is not ours, matches everything and stands above entries of ours.`, origin, false);
    }
    if (at > first) results.find("interleaved", path, `"${name}" is not ours and stands between entries of ours.`, origin, false);
  }
}
