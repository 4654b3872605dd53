import type { Path } from "../core/tree/path.js";
import type { EffectFinder } from "./effect-finder.js";

/** What comes and goes with the node at `path`: the entry around it where entries have no names but their content, else itself. */
export function rowAround(path: Path, finder: EffectFinder): Path {
  for (let at: Path | undefined = path; at?.parent !== undefined; at = at.parent) {
    if (at.name !== undefined && finder.place(at.parent).shape.key !== undefined) return at;
  }
  return path;
}
