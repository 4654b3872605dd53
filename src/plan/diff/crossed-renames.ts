import { equalNodes } from "../../core/tree/canonical.js";
import { childByTag } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Shape } from "../../core/tree/shape.js";
import type { DesiredNode } from "../../desired/model.js";
import { mayTakeEachOthersNames } from "../../desired/renames.js";

/**
 * For each desired entry's index, the position of the live entry that is to be renamed to it. The new name belongs to another entry or is
 * given up by one.
 */
export type CrossedRenames = ReadonlyMap<number, number>;

/**
 * Finds renames of rules (`$was`) to names that other rules give up in the same plan. These are swaps and longer cycles, and chains in
 * which each rule takes the name of the next one.
 *
 * A chain is pending if its first new name is free. In a cycle all names exist before and after: the cycle is pending if renaming leaves
 * fewer differences. Either way each rule ends as declared. Undefined without such renames.
 */
export function crossedRenames(wanted: readonly DesiredNode[], found: readonly TreeNode[], shape: Shape): CrossedRenames | undefined {
  if (!mayTakeEachOthersNames(shape) || !wanted.some(({ handling }) => handling?.was !== undefined)) return undefined;
  const declared = new Map(wanted.map(({ name }, index) => [name, index]));
  const live = new Map(found.map(({ name }, position) => [name, position]));
  const crossed = new Map<number, number>();
  const seen = new Set<number>();
  const givenUp = new Set(wanted.flatMap(({ handling }) => handling?.was ?? []));
  const follow = (first: number): number[] => {
    const row: number[] = [];
    for (let at: number | undefined = first; at !== undefined && !seen.has(at); at = declared.get(wanted[at]?.handling?.was)) {
      if (wanted[at]?.handling?.was === undefined) return [];
      seen.add(at);
      row.push(at);
    }
    return row;
  };
  const take = (row: readonly number[]): void => {
    for (const index of row) {
      const position = live.get(wanted[index]?.handling?.was);
      if (position !== undefined) crossed.set(index, position);
    }
  };
  for (const [index, { name = "" }] of wanted.entries()) {
    if (givenUp.has(name)) continue;
    const row = follow(index);
    if (row.length > 1 && !live.has(name)) take(row);
  }
  for (const index of wanted.keys()) {
    const circle = follow(index);
    if (circle.length > 1 && isBetterCrossed(circle, wanted, found, live, shape)) take(circle);
  }
  return crossed.size === 0 ? undefined : crossed;
}

function isBetterCrossed(
  circle: readonly number[],
  wanted: readonly DesiredNode[],
  found: readonly TreeNode[],
  live: ReadonlyMap<string | undefined, number>,
  shape: Shape,
): boolean {
  let [straight, across] = [0, 0];
  for (const index of circle) {
    const entry = wanted[index] as DesiredNode;
    const [own, other] = [entry.name, entry.handling?.was].map((name) => found[live.get(name) ?? -1]);
    if (own === undefined || other === undefined) return false;
    straight += partsThatDiffer(entry, own, shape, entry.prunes);
    across += partsThatDiffer(entry, other, shape, entry.prunes);
  }
  return across < straight;
}

/** Returns the number of child elements that differ between two entries of a list. `shape` is the list's. */
export function partsThatDiffer(wanted: TreeNode, live: TreeNode, shape: Shape, isRoot = true): number {
  const inner = shape.child(wanted.tag);
  const tags = new Set([...wanted.children, ...(isRoot ? live.children : [])].map(({ tag }) => tag));
  let differing = 0;
  for (const tag of tags) {
    const [a, b] = [childByTag(wanted, tag), childByTag(live, tag)];
    if (a === undefined || b === undefined ? a !== b : !equalNodes(a, b, inner.child(tag))) differing += 1;
  }
  return differing;
}
