import type { Operation } from "../../core/operation.js";
import { canonicalDigest, equalNodes } from "../../core/tree/canonical.js";
import { find, pathOf, shapeAt } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import type { Shape } from "../../core/tree/shape.js";
import { parsePath } from "../../core/tree/xpath/xpath.js";
import { readsFor, touchedBy, type Unit } from "../apply/changed-nodes.js";
import type { WrittenRow } from "./open-watch.js";

/** A row whose digest or neighbour is still to be read. */
export type TouchedRow =
  | { readonly kind: "node" | "place"; readonly at: Path }
  | { readonly kind: "rename"; readonly at: Path; readonly from: string };

/** Rows of the places that operations change, in their order. Excludes rows inside another row. */
export function touchedRows(operations: readonly Operation[]): TouchedRow[] {
  const rows = new Map<string, TouchedRow>();
  const add = (row: TouchedRow) => {
    const key = `${row.kind} ${row.at}`;
    if (!rows.has(key)) rows.set(key, row);
  };
  for (const operation of operations) {
    const { action, at } = operation;
    if (action === "rename") addRename(rows, at, (at.parent ?? at).entry(operation.newName, at.tag));
    else if (action === "move") add({ kind: "place", at });
    else for (const unit of touchedBy([operation]).units) add({ kind: "node", at: unit.path });
  }
  return [...rows.values()].filter((row) => row.kind !== "node" || !hasAncestorRow(row.at, rows));
}

/** A temporary name is replaced by the name before it. */
function addRename(rows: Map<string, TouchedRow>, from: Path, at: Path): void {
  const before = rows.get(`rename ${from}`);
  const isPassing = before?.kind === "rename";
  if (isPassing) rows.delete(`rename ${from}`);
  rows.set(`rename ${at}`, { kind: "rename", at, from: isPassing ? before.from : (from.name ?? "") });
}

function hasAncestorRow(path: Path, rows: ReadonlyMap<string, TouchedRow>): boolean {
  for (let at = path.parent; at !== undefined; at = at.parent) if (rows.has(`node ${at}`)) return true;
  return false;
}

/** Rows of an earlier, uncommitted record, to be read again. */
export function reopened(rows: readonly WrittenRow[]): TouchedRow[] {
  return rows.map((row) => ({ ...row, at: parsePath(row.at) }));
}

/** Subtrees to read for rows, including the former names of entries. */
export function readsOf(rows: readonly TouchedRow[]): Path[] {
  const renames = renamesOf(rows);
  return readsFor(
    rows.flatMap(({ kind, at }): Unit[] => {
      const path = kind === "place" ? (at.parent ?? at) : at;
      const what = kind === "place" ? "order" : "node";
      return [...new Set([path, nameBefore(path, renames)])].map((each) => ({ path: each, what }));
    }),
  );
}

/**
 * Adds the values in `after`, the candidate that is about to be committed. An entry that existed before is split into its children, so that
 * concurrent changes of others in the entry stay theirs.
 */
export function writtenRows(rows: readonly TouchedRow[], before: TreeNode, after: TreeNode, shape: Shape): WrittenRow[] {
  const renames = renamesOf(rows);
  return rows.flatMap((row): WrittenRow[] => {
    const at = row.at.toString();
    if (row.kind === "rename") return [{ kind: "rename", at, from: row.from }];
    if (row.kind === "place") return [{ kind: "place", at, behind: predecessor(after, row.at) }];
    const old = find(before, nameBefore(row.at, renames));
    const made = find(after, row.at);
    if (row.at.name === undefined || old === undefined || made === undefined) return changed(row.at, old, made, shape);
    const paths = new Map([...old.children, ...made.children].map((child) => pathOf(row.at, child)).map((path) => [path.toString(), path]));
    return [...paths.values()].flatMap((path) => changed(path, find(before, nameBefore(path, renames)), find(after, path), shape));
  });
}

function changed(path: Path, before: TreeNode | undefined, after: TreeNode | undefined, shape: Shape): WrittenRow[] {
  return sameAt(before, after, path, shape) ? [] : [{ kind: "node", at: path.toString(), after: digestOf(after, path, shape) }];
}

/** Whether two nodes at a path mean the same, stored secrets included. */
export function sameAt(a: TreeNode | undefined, b: TreeNode | undefined, path: Path, shape: Shape): boolean {
  return a === undefined || b === undefined ? a === b : equalNodes(a, b, shapeAt(path, shape));
}

/** `absent`, or the canonical digest of a node; stored secrets are all alike in it. */
export function digestOf(node: TreeNode | undefined, path: Path, shape: Shape): string {
  return node === undefined ? "absent" : canonicalDigest(node, shapeAt(path, shape));
}

/** The name before the entry's own in its list; empty for the first one. */
export function predecessor(tree: TreeNode, entry: Path): string {
  const siblings = find(tree, entry.parent ?? entry)?.children ?? [];
  return siblings[siblings.findIndex((child) => child.name === entry.name && child.tag === entry.tag) - 1]?.name ?? "";
}

/** Paths of renamed entries, by their new path, with their former name. */
export type Renames = ReadonlyMap<string, string>;

export function renamesOf(rows: readonly (TouchedRow | WrittenRow)[]): Renames {
  return new Map(rows.flatMap((row) => (row.kind === "rename" ? [[row.at.toString(), row.from] as const] : [])));
}

/** A path by the names that its entries had before our renames. */
export function nameBefore(path: Path, renames: Renames): Path {
  if (renames.size === 0) return path;
  let renamed: Path | undefined;
  for (const step of path.steps()) {
    const parent: Path | undefined = renamed;
    if (parent === undefined) renamed = step;
    else if (step.name !== undefined) renamed = parent.entry(renames.get(step.toString()) ?? step.name, step.tag);
    else renamed = step.text === undefined ? parent.child(step.tag) : parent.member(step.text, step.tag);
  }
  return renamed ?? path;
}
