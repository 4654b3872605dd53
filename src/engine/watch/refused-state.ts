import { createHash } from "node:crypto";
import { find, pathOf, shapeAt } from "../../core/tree/lookup.js";
import type { Path } from "../../core/tree/path.js";
import type { Shape } from "../../core/tree/shape.js";
import { parsePath } from "../../core/tree/xpath/xpath.js";
import type { Checks } from "../../desired/checks.js";
import type { DesiredNode } from "../../desired/model.js";
import type { Change } from "../../plan/diff/change.js";
import { printOf } from "../../plan/print.js";

/** Desired state of the places that a commit changed: fingerprints by XPath, `absent` if no object is declared there. */
export type RefusedState = Readonly<Record<string, string>>;

const ABSENT = "absent";
/** Maximum number of places. A commit with equal values at so many places counts as the same one. */
const MOST = 100;

/** Returns the desired state of the places of `changes`. Ignores changes of order. */
export function refusedState(changes: readonly Change[], desired: DesiredNode, shape: Shape): RefusedState {
  const state: Record<string, string> = {};
  for (const change of changes) {
    if (change.kind === "order") continue;
    for (const path of places(change.path, find(desired, change.path))) {
      if (Object.keys(state).length === MOST) return state;
      state[path.toString()] = declaredText(path, desired, shape);
    }
  }
  return state;
}

/** A text that changes whenever the checks of a target do. */
export function checksDigest(checks: Checks | undefined): string {
  return createHash("sha256")
    .update(JSON.stringify([checks?.watches ?? [], checks?.probes ?? []]))
    .digest("hex")
    .slice(0, 32);
}

/** Reports whether the desired state of these places is unchanged. */
export function isStillDeclared(state: RefusedState, desired: DesiredNode, shape: Shape): boolean {
  return Object.entries(state).every(([path, before]) => declaredText(parsePath(path), desired, shape) === before);
}

/** Whether one of `changes` is at, around or in a place of the wish. */
export function touchesState(state: RefusedState, changes: readonly Change[]): boolean {
  const places = Object.keys(state).map((path) => parsePath(path));
  return changes.some(({ path }) => places.some((place) => place.contains(path) || path.contains(place)));
}

function declaredText(path: Path, desired: DesiredNode, shape: Shape): string {
  const node = find(desired, path);
  return node === undefined ? ABSENT : printOf(node, shapeAt(path, shape));
}

/** Splits a list that is completely missing into its entries, so that another entry counts as another desired state. */
function places(path: Path, node: DesiredNode | undefined): Path[] {
  const entries = node?.name === undefined ? (node?.children ?? []).filter(({ tag }) => tag !== "member") : [];
  return entries.length === 0 ? [path] : entries.flatMap((child) => places(pathOf(path, child), child));
}
