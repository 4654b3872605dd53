import { pathOf } from "../core/tree/lookup.js";
import type { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import { afterOperations } from "../plan/after.js";
import type { Change } from "../plan/diff/change.js";
import type { PlanInput, Refusal } from "../plan/model.js";
import type { GuardContext } from "./context.js";

/** Refuses changes that could lock Plumbline out, at the first dangerous node of each. */
export function refuseLockOut({ input, changes, operations, knots, allow }: GuardContext): Refusal[] {
  if (allow.has("management")) return [];
  const refusals: Refusal[] = [];
  for (const change of changes) {
    const danger = change.kind === "order" ? undefined : dangerIn(change, input);
    if (danger === undefined) continue;
    refusals.push({
      guard: "management",
      message: `This can lock Plumbline out: ${danger.words}`,
      path: danger.path,
      allow: "--allow management",
    });
  }
  return [...refusals, ...cutOff({ input, operations, knots })];
}

/** Refuses changes to the network path to the target. They only show when the trees before and after are compared. */
function cutOff({ input, operations, knots }: Pick<GuardContext, "input" | "operations" | "knots">): Refusal[] {
  const { reachedAt = [], candidate, kindGuards } = input;
  if (kindGuards.ownPath === undefined || reachedAt.length === 0 || operations.length === 0 || knots.length > 0) return [];
  const cut = kindGuards.ownPath.cut(reachedAt, candidate, afterOperations(candidate, operations));
  return cut.map(({ path, words }) => ({
    guard: "management",
    message: `This can lock Plumbline out: ${words}`,
    path,
    allow: "--allow management",
  }));
}

function dangerIn(change: Change, { kindGuards }: PlanInput): { path: Path; words: string } | undefined {
  const before = "before" in change && change.kind !== "order" ? change.before : undefined;
  const after = "after" in change && change.kind !== "order" ? change.after : undefined;
  const search = (node: TreeNode | undefined, path: Path): { path: Path; words: string } | undefined => {
    const words = kindGuards.management(path);
    if (words !== undefined) return { path, words };
    for (const child of node?.children ?? []) {
      const found = search(child, pathOf(path, child));
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return search(before, change.path) ?? (after === undefined ? undefined : search(after, change.path));
}
