import type { Shape } from "../core/tree/shape.js";
import { parseXPath } from "../core/tree/xpath/xpath.js";

const NAMES = "/@name";

/** Returns whether the shape of a strict kind knows every step of `path`, which begins at the root element. */
export function isKnownPlace(root: Shape, path: string): boolean {
  const { absolute, steps } = parseXPath(path.endsWith(NAMES) ? path.slice(0, -NAMES.length) : path);
  let shape = root;
  for (const { tag } of absolute ? steps.slice(1) : steps) {
    if (tag === undefined) return true;
    shape = shape.child(tag);
    if (shape.kind === "unknown") return false;
  }
  return true;
}
