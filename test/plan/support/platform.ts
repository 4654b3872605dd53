import { expect } from "vitest";
import type { Operation } from "../../../src/core/operation.js";
import { cloneTree, deleteAt, editAt, moveAt, renameAt, setAt, UndoLog } from "../../../src/core/tree/edit/edit-tree.js";
import type { TreeNode } from "../../../src/core/tree/node.js";
import type { Shape } from "../../../src/core/tree/shape.js";
import { Catalog, type Definition, type NameReference, Scopes } from "../../../src/plan/namespace.js";
import { childPlace, definitionAt, rootPlace, type ScopedPath } from "../../../src/plan/scoped-path.js";

/** Applies operations to a copy of `live` like a platform, and lets `check` read the tree after each. */
export function applyAll(
  live: TreeNode,
  operations: readonly Operation[],
  check: (tree: TreeNode, operation: Operation) => void,
): TreeNode {
  const tree = cloneTree(live);
  const log = new UndoLog();
  for (const operation of operations) {
    const { action, at } = operation;
    if (action === "set") setAt(tree, at, [operation.element], log);
    else if (action === "edit") editAt(tree, at, operation.element, log);
    else if (action === "delete") deleteAt(tree, at, log);
    else if (action === "rename") renameAt(tree, at, operation.newName, log);
    else moveAt(tree, at, operation, log);
    check(tree, operation);
  }
  return tree;
}

/** Errors of a strict platform for a tree, as text; empty if the tree is valid. */
export function complaints(tree: TreeNode, shape: Shape): string[] {
  const scopes = new Scopes();
  const found: Web = { definitions: [], references: [], complaints: [] };
  walk(tree, rootPlace(tree, shape, scopes), scopes, found);
  const catalog = new Catalog();
  const names = new Map<string, Definition>();
  for (const definition of found.definitions) {
    catalog.add(definition);
    const key = `${definition.scope.id} ${definition.namespace} ${definition.name}`;
    const other = names.get(key);
    if (other !== undefined) found.complaints.push(`${definition.path} and ${other.path} share a name`);
    names.set(key, definition);
  }
  const inside = new Map<string, string[]>();
  for (const reference of found.references) {
    const meant = catalog.resolve(reference);
    if (meant === undefined) found.complaints.push(`${reference.path} names nothing: ${reference.value}`);
    else if (reference.holder?.kind === meant.kind && meant.kind === "group") {
      const key = reference.holder.path.toString();
      inside.set(key, [...(inside.get(key) ?? []), meant.path.toString()]);
    }
  }
  for (const group of inside.keys()) if (reaches(group, group, inside, new Set())) found.complaints.push(`${group} contains itself`);
  return found.complaints;
}

export function expectWell(tree: TreeNode, shape: Shape): void {
  expect(complaints(tree, shape)).toEqual([]);
}

interface Web {
  readonly definitions: Definition[];
  readonly references: NameReference[];
  readonly complaints: string[];
}

function walk(node: TreeNode, place: ScopedPath, scopes: Scopes, found: Web): void {
  if (place.shape.matchList && node.children.length === 0) found.complaints.push(`${place.path} is empty`);
  const taken = new Map<string, string>();
  for (const child of node.children) {
    const at = childPlace(place, child, scopes);
    const definition = definitionAt(at);
    if (definition !== undefined) found.definitions.push(definition);
    const named = place.shape.kind === "members" ? place.shape : at.shape;
    if (
      child.children.length === 0 &&
      child.text !== "" &&
      child.name === undefined &&
      named.references.length > 0 &&
      !named.reserved.has(child.text)
    ) {
      found.references.push({ path: at.path, value: child.text, kinds: named.references, scope: at.scope, holder: at.holder });
    }
    for (const leaf of child.children) {
      if (at.shape.child(leaf.tag).unique !== true) continue;
      const key = `${leaf.tag} ${leaf.text}`;
      if (taken.has(key)) found.complaints.push(`${at.path} and ${taken.get(key)} both hold ${key}`);
      taken.set(key, at.path.toString());
    }
    walk(child, at, scopes, found);
  }
}

function reaches(from: string, to: string, inside: ReadonlyMap<string, readonly string[]>, seen: Set<string>): boolean {
  for (const next of inside.get(from) ?? []) {
    if (next === to) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    if (reaches(next, to, inside, seen)) return true;
  }
  return false;
}
