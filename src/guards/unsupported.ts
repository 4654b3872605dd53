import type { DesiredNode } from "../desired/model.js";
import { applyIgnores } from "../plan/diff/diff.js";
import type { PlanInput, Refusal } from "../plan/model.js";

/** Refuses declarations that the platform cannot apply to any object. Each refusal blocks its own subtree. */
export function refuseUnsupported({ kindGuards, desired: { ignores }, candidate, only }: PlanInput, root: DesiredNode): Refusal[] {
  const unfit = kindGuards.unfit?.(applyIgnores(root, candidate, ignores), candidate) ?? [];
  return unfit
    .filter(({ path }) => only === undefined || only.contains(path) || path.contains(only))
    .map(({ path, message }) => ({ guard: "unfit", message, path, stops: "subtree", allow: undefined }));
}
