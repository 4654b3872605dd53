import { isNothing } from "../../core/tree/canonical-children.js";
import { childAt } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import type { Shape } from "../../core/tree/shape.js";
import type { DesiredNode } from "../../desired/model.js";
import type { DiffInput } from "./input.js";

/** A live node that the plan deletes. */
interface Deleted {
  readonly path: Path;
  readonly node: TreeNode;
}

/** One step on the way from the root to a deleted node. */
interface Level {
  readonly path: Path;
  readonly node: TreeNode;
  readonly shape: Shape;
  readonly wanted: DesiredNode | undefined;
}

/**
 * Replaces deletions that empty a container by one deletion of the container, at the highest level that no document declares. A
 * container stays when an empty one is a setting of its own (`empty=present`), and entries always stay.
 */
export function withEmptiedContainers<D extends Deleted>(
  deletions: readonly D[],
  input: Pick<DiffInput, "desired" | "live" | "shape">,
): Deleted[] {
  if (deletions.length === 0) return [];
  const removed = new Set(deletions.map(({ node }) => node));
  const replaced = new Map<TreeNode, Deleted>();
  for (const deletion of deletions) {
    const highest = highestEmptied(levelsOf(deletion.path, input), removed) ?? deletion;
    replaced.set(highest.node, highest);
  }
  return [...replaced.values()];
}

function levelsOf(path: Path, { desired, live, shape }: Pick<DiffInput, "desired" | "live" | "shape">): Level[] {
  const [root, ...steps] = path.steps() as [Path, ...Path[]];
  const levels: Level[] = [{ path: root, node: live, shape, wanted: desired }];
  for (const step of steps) {
    const above = levels.at(-1) as Level;
    const node = childAt(above.node, step);
    if (node === undefined) break;
    const wanted = above.wanted === undefined ? undefined : childAt(above.wanted, step);
    levels.push({ path: step, node, shape: above.shape.child(step.tag), wanted });
  }
  return levels;
}

/**
 * Returns the container to delete in place of the last level, or undefined if none becomes empty. Containers that count as absent when
 * empty are skipped.
 */
function highestEmptied(levels: readonly Level[], removed: ReadonlySet<TreeNode>): Level | undefined {
  let highest: Level | undefined;
  for (const level of levels.slice(1, -1).reverse()) {
    if (level.wanted !== undefined || !becomesEmpty(level.node, level.shape, removed)) break;
    if (!level.shape.emptyIsAbsent) highest = level;
  }
  return highest;
}

function becomesEmpty(node: TreeNode, shape: Shape, removed: ReadonlySet<TreeNode>): boolean {
  if (removed.has(node) || isNothing(node, shape)) return true;
  if (node.name !== undefined || node.children.length === 0 || shape.emptyIsSetting === true) return false;
  return node.children.every((child) => becomesEmpty(child, shape.child(child.tag), removed));
}
