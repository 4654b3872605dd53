import { Path } from "../core/tree/path.js";
import type { Query } from "../core/tree/query/query.js";
import type { Shape } from "../core/tree/shape.js";
import type { DesiredKind } from "./kind.js";

/**
 * Subtrees to read for an expression that begins at `context`. Undefined for the complete configuration. For strict kinds, only the lists
 * that the kind has.
 */
export function querySubtrees(query: Query, kind: DesiredKind, context: Path): readonly Path[] | undefined {
  const subtrees = query.subtrees(context);
  if (kind.strict !== true || subtrees === undefined) return subtrees;
  const lists = subtrees.map(listOf).filter(({ tag }) => kind.shape.knownTags.includes(tag));
  return [...new Map(lists.map((path) => [path.toString(), path])).values()];
}

function listOf(path: Path): Path {
  return path.depth <= 2 || path.parent === undefined ? path : listOf(path.parent);
}

/**
 * Returns all parts of the tree that could refer to an object by name: the tags of the shape below the root. Containers that only
 * the platform writes are omitted. They contain no references and can be larger than the rest.
 */
export function searchRoots(shape: Shape, rootTag: string): Path[] {
  const root = Path.root.child(rootTag);
  const isOthers = (tag: string) => shape.child(tag).kind === "container" && shape.child(tag).readOnly === true;
  return shape.knownTags.filter((tag) => !isOthers(tag)).map((tag) => root.child(tag));
}
