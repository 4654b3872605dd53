import type { TreeNode } from "../../../core/tree/node.js";
import { Path } from "../../../core/tree/path.js";
import { parsePath } from "../../../core/tree/xpath/xpath.js";
import { deviceGroupParents } from "../device-groups.js";
import { deviceEntry } from "../scope.js";

/** Names of the groups, templates or stacks that are affected, or `all`. */
export type Reached = ReadonlySet<string> | "all";

const SHARED = Path.root.child("config").child("shared");

/** Returns the entries of the list that contain one of the paths or are inside one. */
export function reachedIn(paths: readonly Path[], list: "device-group" | "template" | "template-stack"): Reached {
  const at = deviceEntry.child(list);
  if (paths.some((path) => path.contains(at))) return "all";
  const names = paths.filter((path) => at.contains(path)).map((path) => entryBelow(at, path).name ?? "");
  return new Set(names);
}

/** Shared configuration affects every group. */
export function reachesShared(paths: readonly Path[]): boolean {
  return paths.some((path) => path.contains(SHARED) || SHARED.contains(path));
}

/** Returns the groups and all their descendants. `tree` contains the hierarchy. */
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

/** Lists on a manager whose members receive a commit by a separate push. */
const OTHERS = ["log-collector", "log-collector-group", "wildfire-appliance", "wildfire-appliance-cluster"];

/** Returns the lists of other appliances that the paths affect. */
export function beyondFirewalls(paths: readonly Path[]): readonly string[] {
  return OTHERS.filter((tag) => paths.some((path) => deviceEntry.child(tag).contains(path)));
}
