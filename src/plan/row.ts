import type { Path } from "../core/tree/path.js";
import type { EffectFinder } from "./effect-finder.js";

/**
 * Returns the node to create and delete together with the node at `path`: the entry around it if entries have keys from their content, or
 * else the node itself.
 */
export function rowAround(path: Path, finder: EffectFinder): Path {
  for (let at: Path | undefined = path; at?.parent !== undefined; at = at.parent) {
    if (at.name !== undefined && finder.place(at.parent).shape.key !== undefined) return at;
  }
  return path;
}
