import { equalNodes } from "../../core/tree/equal.js";
import { pathOf, shapeAt } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import { Path } from "../../core/tree/path.js";
import type { Shape } from "../../core/tree/shape.js";
import type { TouchedRow } from "./rows.js";

/**
 * Differences between running and candidate, as rows. A commit would apply them, including writes of an aborted run. Skips differences
 * inside `ofOthers`, the places of other administrators' uncommitted work.
 */
export function differenceRows(running: TreeNode, candidate: TreeNode, shape: Shape, ofOthers: readonly Path[]): TouchedRow[] {
  const rows: TouchedRow[] = [];
  compare(Path.root.child(candidate.tag), running, candidate, shape, rows);
  return rows.filter(({ at }) => !ofOthers.some((place) => place.contains(at)));
}

function compare(at: Path, before: TreeNode | undefined, after: TreeNode | undefined, root: Shape, rows: TouchedRow[]): void {
  const shape = shapeAt(at, root);
  if (before !== undefined && after !== undefined && equalNodes(before, after, shape)) return;
  if (before === undefined || after === undefined || isValue(before) || isValue(after)) {
    rows.push({ kind: "node", at });
    return;
  }
  const olds = new Map(before.children.map((child) => [pathOf(at, child).toString(), child]));
  const paths = new Map([...before.children, ...after.children].map((child) => pathOf(at, child)).map((path) => [path.toString(), path]));
  const news = new Map(after.children.map((child) => [pathOf(at, child).toString(), child]));
  for (const [key, path] of paths) compare(path, olds.get(key), news.get(key), root, rows);
  if (!shape.ordered) return;
  const kept = (nodes: readonly TreeNode[], others: ReadonlyMap<string, TreeNode>) =>
    nodes.map((child) => pathOf(at, child)).filter((path) => others.has(path.toString()));
  const [from, to] = [kept(before.children, news), kept(after.children, olds)];
  if (from.some((path, index) => !path.equals(to[index] ?? at))) for (const path of to) rows.push({ kind: "place", at: path });
}

/** True for a leaf or a list of members, which are compared as one value. */
function isValue(node: TreeNode): boolean {
  return node.children.length === 0 || node.children.every(({ tag }) => tag === "member");
}
