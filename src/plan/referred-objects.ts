import { type Operation, touchedPath } from "../core/operation.js";
import type { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import { EffectFinder } from "./effect-finder.js";
import { Catalog, type Scopes } from "./namespace.js";
import { survey } from "./reference-index.js";

/** Returns live objects that operations newly refer to but do not write, sorted by path. */
export function referredObjects(operations: readonly Operation[], live: TreeNode, shape: Shape, scopes: Scopes): Path[] {
  const finder = new EffectFinder(live, shape, scopes);
  const { adds } = finder.of(operations);
  if (adds.length === 0) return [];
  const catalog = new Catalog();
  for (const definition of survey(live, shape, scopes, new Set(adds.map(({ value }) => value))).definitions) catalog.add(definition);
  const written = new Set(operations.map((operation) => touchedPath(operation).toString()));
  const found = new Map<string, Path>();
  for (const reference of adds) {
    const definition = catalog.resolve(reference);
    if (definition !== undefined && !written.has(definition.path.toString())) found.set(definition.path.toString(), definition.path);
  }
  return [...found.keys()].sort().map((key) => found.get(key) as Path);
}
