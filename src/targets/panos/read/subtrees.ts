import { Path } from "../../../core/tree/path.js";

const config = Path.root.child("config");

/**
 * The sections of a complete configuration. `/config` itself is never requested: it also contains the predefined content of the device,
 * which is larger than everything else and is not managed (docs/contributing/devices/panos.md#reading).
 */
const SECTIONS = ["mgt-config", "shared", "devices", "panorama"].map((tag) => config.child(tag));

/** Returns the subtrees to request, without duplicates and without those inside another. Keeps the order. */
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
