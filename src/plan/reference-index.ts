import type { TreeNode } from "../core/tree/node.js";
import type { Shape } from "../core/tree/shape.js";
import type { Definition, NameReference, Scopes } from "./namespace.js";
import { childPlace, definitionAt, rootPlace, type ScopedPath } from "./scoped-path.js";

/** Objects and references found in a live tree. */
export interface ReferenceIndex {
  readonly definitions: readonly Definition[];
  readonly references: readonly NameReference[];
}

/**
 * Attribute of a live entry that the platform keeps or deletes together with another object. Its references do not refuse a deletion: the
 * platform decides.
 */
export const HELD_ELSEWHERE = "held-elsewhere";

/** Searches the complete tree once for objects with one of `names` and for references to such names. */
export function survey(root: TreeNode, shape: Shape, scopes: Scopes, names: ReadonlySet<string>): ReferenceIndex {
  const definitions: Definition[] = [];
  const references: NameReference[] = [];
  walk(root, rootPlace(root, shape, scopes), scopes, (name) => names.has(name), {
    definition: (definition) => definitions.push(definition),
    reference: (reference) => references.push(reference),
  });
  return { definitions, references };
}

/** Returns every object that can be referred to. */
export function definitionsIn(root: TreeNode, shape: Shape, scopes: Scopes): Definition[] {
  const definitions: Definition[] = [];
  walk(root, rootPlace(root, shape, scopes), scopes, () => true, {
    definition: (definition) => definitions.push(definition),
    reference: () => undefined,
  });
  return definitions;
}

/** Returns references of objects to objects of their own kind: groups in groups. */
export function nestedReferences(root: TreeNode, shape: Shape, scopes: Scopes): NameReference[] {
  const references: NameReference[] = [];
  walk(root, rootPlace(root, shape, scopes), scopes, () => true, {
    definition: () => undefined,
    reference: (reference) => {
      if (isNested(reference)) references.push(reference);
    },
  });
  return references;
}

/** Returns whether the reference allows the kind of the object that contains it. */
export function isNested({ holder, kinds }: NameReference): boolean {
  return holder !== undefined && kinds.includes(holder.kind);
}

/** Returns every object and reference, each reference with its leaf, member or entry. */
export function everyName(
  root: TreeNode,
  shape: Shape,
  scopes: Scopes,
): { readonly definitions: Definition[]; readonly references: FoundReference[] } {
  const definitions: Definition[] = [];
  const references: FoundReference[] = [];
  walk(root, rootPlace(root, shape, scopes), scopes, () => true, {
    definition: (definition) => definitions.push(definition),
    reference: (reference, node) => references.push({ reference, node }),
  });
  return { definitions, references };
}

interface FoundReference {
  readonly reference: NameReference;
  readonly node: TreeNode;
}

interface Found {
  definition(definition: Definition): void;
  reference(reference: NameReference, node: TreeNode): void;
}

function walk(node: TreeNode, place: ScopedPath, scopes: Scopes, wanted: (name: string) => boolean, found: Found): void {
  for (const child of node.children) {
    if (child.name !== undefined) {
      const at = childPlace(place, child, scopes);
      if (wanted(child.name)) noteEntry(child.name, child, at, found);
      const within = child.attributes?.has(HELD_ELSEWHERE) === true ? { ...found, reference: () => undefined } : found;
      walk(child, at, scopes, wanted, within);
    } else if (child.children.length > 0) {
      walk(child, childPlace(place, child, scopes), scopes, wanted, found);
    } else if (child.text !== "" && wanted(child.text)) {
      noteValue(child, childPlace(place, child, scopes), place, found);
    }
  }
}

function noteEntry(name: string, node: TreeNode, place: ScopedPath, found: Found): void {
  const definition = definitionAt(place);
  if (definition !== undefined) found.definition(definition);
  const { references, reserved } = place.shape;
  if (references.length === 0 || reserved.has(name)) return;
  found.reference({ path: place.path, value: name, kinds: references, scope: place.outer, holder: place.holder }, node);
}

function noteValue(node: TreeNode, place: ScopedPath, above: ScopedPath, found: Found): void {
  const value = node.text;
  const { references, reserved } = above.shape.kind === "members" ? above.shape : place.shape;
  if (references.length === 0 || reserved.has(value)) return;
  found.reference({ path: place.path, value, kinds: references, scope: place.scope, holder: place.holder }, node);
}
