import { shapeAt } from "../core/tree/lookup.js";
import type { Refusal } from "../plan/model.js";
import type { GuardContext } from "./context.js";

const GUARD = "data";

/**
 * Refuses to delete objects that hold data which no document describes (`Shape.holdsData`). A replacement is permitted by `$replace: true`
 * instead.
 */
export function refuseLostData({ input, allow, deletions }: GuardContext): Refusal[] {
  const allowed = allow.paths(GUARD);
  const lost = deletions.filter((path) => path.parent !== undefined && shapeAt(path.parent, input.shape).holdsData === true);
  return lost
    .filter((path) => !allowed.some((place) => place.contains(path)))
    .map((path) => ({
      guard: GUARD,
      message: `"${path.name}" would be deleted with all its data. The deletion needs --allow.`,
      path,
      allow: `--allow "${GUARD}=${path}"`,
    }));
}
