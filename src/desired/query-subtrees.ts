import type { Path } from "../core/tree/path.js";
import type { Query } from "../core/tree/query/query.js";
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
