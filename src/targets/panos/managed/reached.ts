import type { TreeNode } from "../../../core/tree/node.js";
import { Path } from "../../../core/tree/path.js";
import { parsePath } from "../../../core/tree/xpath.js";
import { deviceGroupParents } from "../device-groups.js";
import { deviceEntry } from "../scope.js";

/** Names of what hands something on; `all` of them. */
export type Reached = ReadonlySet<string> | "all";

const SHARED = Path.root.child("config").child("shared");

/** Entries of the list that stand at, above or below one of the paths. */
export function reachedIn(paths: readonly Path[], list: "device-group" | "template" | "template-stack"): Reached {
  const at = deviceEntry.child(list);
  if (paths.some((path) => path.contains(at))) return "all";
  const names = paths.filter((path) => at.contains(path)).map((path) => entryBelow(at, path).name ?? "");
  return new Set(names);
}

/** What is shared reaches every group. */
export function reachesShared(paths: readonly Path[]): boolean {
  return paths.some((path) => path.contains(SHARED) || SHARED.contains(path));
}

/** The groups, and all that stand below them. `tree` holds which stands below which. */
export function withDescendants(groups: ReadonlySet<string>, tree: TreeNode): ReadonlySet<string> {
  const parents = [...deviceGroupParents(tree)].map(([group, parent]) => [nameOf(group), nameOf(parent)] as const);
  const found = new Set(groups);
  for (let known = -1; known !== found.size; ) {
    known = found.size;
    for (const [group, parent] of parents) if (found.has(parent)) found.add(group);
  }
  return found;
}

function nameOf(path: string): string {
  return parsePath(path).name ?? "";
}

function entryBelow(list: Path, path: Path): Path {
  let at = path;
  while (at.parent !== undefined && !at.parent.equals(list)) at = at.parent;
  return at;
}

/** Lists of a manager that get what is committed by a push of their own. */
const OTHERS = ["log-collector", "log-collector-group", "wildfire-appliance", "wildfire-appliance-cluster"];

/** Those of them that the paths speak of. */
export function beyondFirewalls(paths: readonly Path[]): readonly string[] {
  return OTHERS.filter((tag) => paths.some((path) => deviceEntry.child(tag).contains(path)));
}
