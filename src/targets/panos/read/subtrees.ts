import { Path } from "../../../core/tree/path.js";

const config = Path.root.child("config");

/**
 * What a whole configuration means. `/config` itself is never asked for: it holds the predefined content of the
 * device too, which is larger than all the rest and belongs to nobody (docs/devices/panos.md#reading).
 */
const SECTIONS = ["mgt-config", "shared", "devices", "panorama"].map((tag) => config.child(tag));

/** The subtrees to ask for, once each: those inside another one and repeated ones are left out. Keeps the order. */
export function withoutNested(subtrees: readonly Path[]): readonly Path[] {
  const wanted = new Map<string, Path>();
  for (const path of subtrees) {
    for (const each of path.depth < 2 ? SECTIONS : [path]) wanted.set(each.toString(), each);
  }
  return [...wanted.values()].filter((path) => !hasAncestorIn(path, wanted));
}

function hasAncestorIn(path: Path, wanted: ReadonlyMap<string, Path>): boolean {
  for (let at = path.parent; at !== undefined; at = at.parent) if (wanted.has(at.toString())) return true;
  return false;
}
