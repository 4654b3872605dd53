import type { DesiredNode } from "../desired/model.js";
import { arrange } from "../plan/arrange.js";
import { minimalMoves } from "../plan/moves.js";
import type { TreeNode } from "../tree/node.js";
import type { Path } from "../tree/path.js";
import type { Shape } from "../tree/shape.js";
import type { Results } from "./results.js";

/** One ordered list whose entries were paired. */
export interface PairedList {
  readonly desired: DesiredNode;
  readonly shape: Shape;
  readonly path: Path;
  /** Live entries that stay, in live order; `name` is the one that they will have. */
  readonly staying: readonly { readonly node: TreeNode; readonly name: string }[];
  readonly shadows: (entry: TreeNode, shape: Shape) => boolean;
}

/** Reports how an ordered list's order differs from what is wanted, and the foreign entries that stand in its way (FORMAT.md 6). */
export function compareOrder(list: PairedList, results: Results): void {
  const { desired, path, staying } = list;
  const declared = declaredNames(desired);
  if (declared.length === 0) return;
  const { position, contiguous } = desired.directive ?? {};
  const before = staying.map((entry) => entry.name);
  const arranged = arrange({ live: before, declared, position, contiguous });
  if ("problem" in arranged) {
    if (arranged.problem === "anchor-missing") reportAnchor(desired, path, arranged.anchor, results);
    else reportNoPlace(desired, path, arranged.entry, results);
    return;
  }
  const ours = new Set(declared);
  const live = new Set(before);
  const wanted = arranged.order.filter((name) => live.has(name));
  const pinned = new Set(before.filter((name) => !ours.has(name)));
  const moved = minimalMoves(before, wanted, pinned).map((move) => move.name);
  if (moved.length > 0) results.add({ kind: "order", path, before, after: arranged.order, moved });
  reportForeign(list, arranged.order, ours, results);
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

function reportForeign(list: PairedList, order: readonly string[], ours: ReadonlySet<string>, results: Results): void {
  const foreign = new Map(list.staying.filter(({ name }) => !ours.has(name)).map(({ name, node }) => [name, node]));
  if (foreign.size === 0) return;
  const first = order.findIndex((name) => ours.has(name));
  const last = order.findLastIndex((name) => ours.has(name));
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
