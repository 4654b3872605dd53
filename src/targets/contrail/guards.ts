import type { Path } from "../../core/tree/path.js";
import type { KindGuards } from "../../plan/model.js";
import { isSystemObject } from "./system-objects.js";

/** What is dangerous on a controller: the networks and IPAMs that it lives by itself. */
export const contrailGuards: KindGuards = {
  management(path) {
    const object = objectOf(path);
    return object?.name !== undefined && isSystemObject(object.name) ? "an object that the controller itself lives by" : undefined;
  },
  meaning: () => undefined,
  neverPruned: (entry) => entry.depth === OBJECT_DEPTH && entry.name !== undefined && isSystemObject(entry.name),
};

/** `/contrail/<list>/entry` */
const OBJECT_DEPTH = 3;

function objectOf(path: Path): Path | undefined {
  let at: Path | undefined = path;
  while (at !== undefined && at.depth > OBJECT_DEPTH) at = at.parent;
  return at?.depth === OBJECT_DEPTH ? at : undefined;
}
