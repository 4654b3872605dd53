import type { TreeNode } from "../tree/node.js";
import { Path } from "../tree/path.js";
import type { Shape } from "../tree/shape.js";
import { pathOf } from "./live.js";
import type { Definition, Scope, Scopes } from "./namespace.js";

/** Where a walk beside the shape stands. */
export interface Place {
  readonly path: Path;
  readonly shape: Shape;
  /** Shape of the node above; a list's says what its entries define, a member list's what its members name. */
  readonly above: Shape | undefined;
  /** Scope that the node's own name lives in, and scope of the names below it. */
  readonly outer: Scope;
  readonly scope: Scope;
  /** The nearest list above. */
  readonly list: Path | undefined;
}

/** The place of a tree's root element. */
export function rootPlace(root: TreeNode, shape: Shape, scopes: Scopes): Place {
  const path = Path.root.child(root.tag);
  return { path, shape, above: undefined, outer: scopes.root, scope: scopes.below(path, shape, scopes.root), list: undefined };
}

export function childPlace(place: Place, child: TreeNode, scopes: Scopes): Place {
  return step(place, pathOf(place.path, child), scopes);
}

/** The place at `path`, walked down from the root's. */
export function placeAt(root: Place, path: Path, scopes: Scopes): Place {
  let place = root;
  for (const at of path.steps().slice(1)) place = step(place, at, scopes);
  return place;
}

function step(place: Place, path: Path, scopes: Scopes): Place {
  const shape = place.shape.child(path.tag);
  const list = path.name === undefined ? place.list : place.path;
  return { path, shape, above: place.shape, outer: place.scope, scope: scopes.below(path, shape, place.scope), list };
}

/** The object that an entry at this place is, or undefined where its list defines none. */
export function definitionAt(place: Place, name: string): Definition | undefined {
  const kind = place.above?.defines;
  if (kind === undefined || place.path.name === undefined) return undefined;
  return { path: place.path, kind, namespace: place.above?.namespace ?? kind, scope: place.outer, name };
}
