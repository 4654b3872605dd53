import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import { isRulebase, type Shape } from "../../core/tree/shape.js";
import type { DesiredNode } from "../../desired/model.js";
import { arrangeBlocks, type Block, declaredBlocks } from "../blocks.js";
import { minimalMoves } from "../moves.js";
import { longestIncreasing } from "../subsequence.js";
import type { Results } from "./results.js";

/** A live entry that stays. `rank` is its index in desired state, or -1 for an unmanaged entry. */
export interface Staying {
  readonly node: TreeNode;
  /** Name after the plan. */
  readonly name: string;
  readonly rank: number;
}

/** One ordered list with paired entries. */
export interface PairedList {
  readonly desired: DesiredNode;
  readonly shape: Shape;
  readonly path: Path;
  /** In live order. */
  readonly staying: readonly Staying[];
  readonly shadows: (entry: TreeNode, shape: Shape) => boolean;
}

/**
 * Reports how the order of a list differs from the desired order, and the unmanaged entries between or above the declared ones
 * (docs/desired-state.md#order).
 */
export function compareOrder(list: PairedList, results: Results): void {
  const { desired, path, staying } = list;
  const blocks = declaredBlocks(desired);
  if (staying.every((entry) => entry.rank >= 0) && !blocks.some(isAnchored)) {
    if (isRulebase(list.shape)) results.orders.set(path.toString(), () => declaredNames(desired));
    compareOwn(list, results);
    return;
  }
  if (blocks.length === 0) return;
  const before = staying.map((entry) => entry.name);
  const arranged = arrangeBlocks(before, blocks);
  if ("problems" in arranged) {
    for (const problem of arranged.problems) {
      if (problem.problem === "anchor-missing") reportAnchor(problem.block, path, problem.anchor, results);
      else reportNoPlace(desired, path, problem.entry, results);
    }
    return;
  }
  if (isRulebase(list.shape)) results.orders.set(path.toString(), () => arranged.order);
  const live = new Set(before);
  const wanted = arranged.order.filter((name) => live.has(name));
  const unmanaged = new Map(staying.filter(({ rank }) => rank < 0).map(({ name, node }) => [name, node]));
  const moved = minimalMoves(before, wanted, new Set(unmanaged.keys())).map((move) => move.name);
  if (moved.length > 0) results.add({ kind: "order", path, before, after: arranged.order, moved });
  reportUnmanaged(list, blocks, arranged.order, unmanaged, results);
}

/** Returns whether `$position` places a declared block of the list next to an entry of another owner. */
export function hasAnchor(desired: DesiredNode): boolean {
  return declaredBlocks(desired).some(isAnchored);
}

function isAnchored({ position }: Block): boolean {
  return position !== undefined && "anchor" in position;
}

/** Compares by rank, if all entries are declared. Entries outside the longest increasing run must move. */
function compareOwn({ desired, path, staying }: PairedList, results: Results): void {
  if (staying.every((entry, index) => index === 0 || (staying[index - 1]?.rank ?? -1) < entry.rank)) return;
  const kept = new Set(longestIncreasing(staying.map((entry) => entry.rank)));
  const moved = staying.filter((_, index) => !kept.has(index)).sort((a, b) => a.rank - b.rank);
  const before = staying.map((entry) => entry.name);
  results.add({ kind: "order", path, before, after: declaredNames(desired), moved: moved.map((entry) => entry.name) });
}

/** Returns the names of the declared entries, in declared order. */
function declaredNames(desired: DesiredNode): string[] {
  const names: string[] = [];
  for (const child of desired.children) {
    if (child.name !== undefined && child.declared && child.handling?.ignored !== true) names.push(child.name);
  }
  return names;
}

function reportAnchor({ origin }: Block, path: Path, anchor: string, results: Results): void {
  const message = `"${anchor}", the anchor of $position, is not in this list, or is deleted by the same plan.`;
  results.find("anchor-missing", path, message, origin, true);
}

function reportNoPlace(desired: DesiredNode, path: Path, entry: string, results: Results): void {
  const origin = desired.children.find((child) => child.name === entry)?.origin ?? desired.origin;
  const message = `The place of "${entry}" is unknown: its declared neighbours do not exist, and the list has unmanaged entries. Write $position.`;
  results.find("no-place", path.entry(entry), message, origin, true);
}

function reportUnmanaged(
  list: PairedList,
  blocks: readonly Block[],
  order: readonly string[],
  unmanaged: ReadonlyMap<string, TreeNode>,
  results: Results,
): void {
  const spans = spansOf(blocks, order);
  const last = order.findLastIndex((name) => !unmanaged.has(name));
  const entryShape = list.shape.child("entry");
  let around: Span | undefined;
  for (let at = 0; at < last; at += 1) {
    const name = order[at] ?? "";
    const begun = spans.get(at);
    if (begun !== undefined && begun.last > (around?.last ?? -1)) around = begun;
    const node = unmanaged.get(name);
    if (node === undefined) continue;
    const path = list.path.entry(name, node.tag);
    if (list.shadows(node, entryShape)) {
      const message = `"${name}" is unmanaged and matches everything, so the declared entries below it have no effect.`;
      results.find("shadowed", path, message, list.desired.origin, false);
    }
    if (around !== undefined && at < around.last) {
      results.find("interleaved", path, `"${name}" is unmanaged and is between managed entries.`, around.block.origin, false);
    }
  }
}

interface Span {
  readonly block: Block;
  /** Place of the block's last entry. */
  readonly last: number;
}

/** Returns where each block ends, by the place of its first entry. */
function spansOf(blocks: readonly Block[], order: readonly string[]): Map<number, Span> {
  const places = new Map(order.map((name, at) => [name, at]));
  const spans = new Map<number, Span>();
  for (const block of blocks) {
    const first = places.get(block.declared[0] ?? "");
    const last = places.get(block.declared.at(-1) ?? "");
    if (first !== undefined && last !== undefined) spans.set(first, { block, last });
  }
  return spans;
}
