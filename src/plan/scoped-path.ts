import { pathOf } from "../core/tree/lookup.js";
import type { TreeNode } from "../core/tree/node.js";
import { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import type { Definition, Scope, Scopes } from "./namespace.js";

/** A position in a tree with its shape and scopes. */
export interface ScopedPath {
  readonly path: Path;
  readonly shape: Shape;
  /** Shape of the parent. A list's shape defines the kind of its entries, a member list's shape the references of its members. */
  readonly above: Shape | undefined;
  /** Scope of the node's own name, and scope of the names below it. */
  readonly outer: Scope;
  readonly scope: Scope;
  /** The nearest list above. */
  readonly list: Path | undefined;
  /** The nearest object at or above. */
  readonly holder: Definition | undefined;
}

/** Returns the place of a tree's root element. */
export function rootPlace(root: TreeNode, shape: Shape, scopes: Scopes): ScopedPath {
  const path = Path.root.child(root.tag);
  return {
    path,
    shape,
    above: undefined,
    outer: scopes.root,
    scope: scopes.below(path, shape, scopes.root),
    list: undefined,
    holder: undefined,
  };
}

export function childPlace(place: ScopedPath, child: TreeNode, scopes: Scopes): ScopedPath {
  return step(place, pathOf(place.path, child), scopes);
}

/** Returns the place at `path`, starting from the root's. */
export function placeAt(root: ScopedPath, path: Path, scopes: Scopes): ScopedPath {
  let place = root;
  for (const at of path.steps().slice(1)) place = step(place, at, scopes);
  return place;
}

function step(above: ScopedPath, path: Path, scopes: Scopes): ScopedPath {
  const shape = above.shape.child(path.tag);
  const list = path.name === undefined ? above.list : above.path;
  const holder = definition(above, path) ?? above.holder;
  return { path, shape, above: above.shape, outer: above.scope, scope: scopes.below(path, shape, above.scope), list, holder };
}

/** Returns the object of an entry at `path`, directly below `above`. Undefined if its list defines no objects. */
function definition({ shape, scope }: ScopedPath, path: Path): Definition | undefined {
  if (shape.defines === undefined || path.name === undefined) return undefined;
  return { path, kind: shape.defines, namespace: shape.namespace ?? shape.defines, scope, name: path.name };
}

/** Returns the object of the entry at this place. */
export function definitionAt(place: ScopedPath): Definition | undefined {
  return place.path === place.holder?.path ? place.holder : undefined;
}
