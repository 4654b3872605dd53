import { touchedPath } from "../core/operation.js";
import { childAt, find } from "../core/tree/lookup.js";
import type { Path } from "../core/tree/path.js";
import type { DesiredNode } from "../desired/model.js";
import type { Refusal } from "../plan/model.js";
import type { GuardContext } from "./context.js";

/**
 * Refuses to rewrite undeclared references. To change the kind of a name in use, the plan temporarily removes all references to it.
 * Undeclared objects must not be rewritten for that, and no delete may leave them with a name that does not resolve.
 */
export function refuseRewritingOthers({ input, desired, changes, operations }: GuardContext): Refusal[] {
  const found = new Map<string, Refusal>();
  for (const { operation, changes: done } of operations) {
    const path = touchedPath(operation);
    const place = path.text === undefined ? path : (path.parent ?? path);
    if (done.length > 0 || found.has(place.toString()) || find(input.candidate, place) === undefined || isDeclared(place, desired))
      continue;
    if (changes.some((change) => change.path.contains(place))) continue;
    const message = `A used name changes its kind${namesOf(changes)}, and an undeclared object would be rewritten for it: ${place}`;
    found.set(place.toString(), { guard: "referrers", message, path: place, allow: undefined });
  }
  return [...found.values()];
}

/** Names that move from one list to another. */
function namesOf(changes: GuardContext["changes"]): string {
  const lost = new Set(changes.flatMap(({ kind, path: { name } }) => (kind === "extra" && name !== undefined ? [name] : [])));
  const names = changes.flatMap(({ kind, path: { name } }) =>
    kind === "missing" && name !== undefined && lost.has(name) ? [`"${name}"`] : [],
  );
  return names.length === 0 ? "" : ` (${names.join(", ")})`;
}

/** Returns whether the path is in desired state, or in a completely declared part. */
function isDeclared(path: Path, desired: DesiredNode): boolean {
  let node: DesiredNode | undefined = desired;
  for (const step of path.steps().slice(1)) {
    if (node.declared && node.prunes) return true;
    node = childAt(node, step) as DesiredNode | undefined;
    if (node === undefined) return false;
  }
  return node.declared;
}
