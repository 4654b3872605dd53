import { applyIgnores } from "../diff.js";
import type { PlanInput, Refusal } from "../model.js";

/** What the platform has nothing to give to: each stops its own subtree, and is never taken for in sync. */
export function refuseUnfit({ kindGuards, desired: { root, ignores }, candidate, only }: PlanInput): Refusal[] {
  const unfit = kindGuards.unfit?.(applyIgnores(root, candidate, ignores), candidate) ?? [];
  return unfit
    .filter(({ path }) => only === undefined || only.contains(path) || path.contains(only))
    .map(({ path, message }) => ({ guard: "unfit", message, path, stops: "subtree", allow: undefined }));
}
