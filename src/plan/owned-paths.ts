import type { TreeNode } from "../core/tree/node.js";
import { type Path, quote, stepText } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import { TEXT_TAG } from "../core/tree/xml/builder.js";
import { parsePath } from "../core/tree/xpath/xpath.js";
import type { DesiredNode } from "../desired/model.js";
import { counterpart } from "./counterpart.js";
import { isInherited } from "./diff/inherited.js";
import type { OwnershipRecord } from "./ownership-record.js";

/**
 * Returns the ledger rows after desired state is applied: entries that are declared completely and, outside of them, member lists and
 * leaves. Containers and ignored, kept or inherited nodes are not rows. With `only`, rows elsewhere stay as they are in the ledger.
 */
export function ownedPaths(
  desired: DesiredNode,
  live: TreeNode,
  shape: Shape,
  record: OwnershipRecord | undefined,
  only: Path | undefined,
): string[] {
  const rows: string[] = [];
  collect(desired, live, shape, `/${desired.tag}`, rows);
  if (only === undefined) return rows.sort();
  const kept = (record?.paths ?? []).filter((row) => !only.contains(parsePath(row)));
  return [...new Set([...rows.filter((row) => only.contains(parsePath(row))), ...kept])].sort();
}

function collect(node: DesiredNode, live: TreeNode | undefined, shape: Shape, path: string, rows: string[]): void {
  const { handling } = node;
  if (handling?.ignored === true || handling?.keep === true) return;
  if (live !== undefined && isInherited(live) && handling?.override !== true) return;
  if (isOwnedCompletely(node, shape)) {
    rows.push(path);
    if (!holdsOpenEntry(node)) return;
  }
  collectBelow(node, live, shape, path, rows);
}

/**
 * Nodes in an open entry (`$partial`, or of a structural kind) have rows of their own, even inside an entry that is declared completely.
 */
function collectOpen(node: DesiredNode, live: TreeNode | undefined, shape: Shape, path: string, rows: string[]): void {
  if (node.name !== undefined && !node.prunes) collect(node, live, shape, path, rows);
  else if (holdsOpenEntry(node)) collectBelow(node, live, shape, path, rows, true);
}

function holdsOpenEntry(node: DesiredNode): boolean {
  return node.children.some((child) => (child.name !== undefined && !child.prunes) || holdsOpenEntry(child));
}

function collectBelow(
  node: DesiredNode,
  live: TreeNode | undefined,
  shape: Shape,
  path: string,
  rows: string[],
  isInOwned = isOwnedCompletely(node, shape),
): void {
  const each = isInOwned ? collectOpen : collect;
  let next = 0;
  for (const child of node.children) {
    const passing = live?.children[next];
    const other = passing !== undefined && haveOneKey(child, passing) ? passing : live && counterpart(live, child);
    if (other === passing) next += 1;
    each(child, other, shape.child(child.tag), `${path}/${stepOf(child)}`, rows);
  }
}

/** Returns whether two nodes have the same key. Desired and live children mostly have the same order, so few lookups are needed. */
function haveOneKey(a: TreeNode, b: TreeNode): boolean {
  return a.tag === b.tag && a.name === b.name && (a.tag !== "member" || a.text === b.text);
}

/**
 * Returns whether a node gets one row: entries and member lists that are `prunes`, members of open lists, leaves. Empty containers are
 * settings like leaves.
 */
function isOwnedCompletely(node: DesiredNode, shape: Shape): boolean {
  // Text between elements has no path of its own; no platform uses it.
  if (!node.declared || node.tag === TEXT_TAG) return false;
  if (node.name !== undefined) return node.prunes && !shape.structural;
  if (node.children.length === 0) return shape.kind !== "list";
  return node.prunes && node.children.every((child) => child.tag === "member");
}

function stepOf(node: TreeNode): string {
  if (node.name !== undefined) return `${stepText(node.tag)}[@name=${quote(node.name)}]`;
  return node.tag === "member" ? `member[text()=${quote(node.text)}]` : stepText(node.tag);
}
