import { applyIgnores } from "../plan/diff/diff.js";
import type { Refusal } from "../plan/model.js";
import type { ComparisonFacts } from "../plan/plan-guards.js";

/** Refuses declarations that the platform cannot apply to any object. Each refusal blocks its own subtree. */
export function refuseUnsupported({ input, written }: ComparisonFacts): Refusal[] {
  const { kindGuards, candidate, only } = input;
  const unfit = kindGuards.unfit?.(applyIgnores(written, candidate, input.desired.ignores), candidate) ?? [];
  return unfit
    .filter(({ path }) => only === undefined || only.contains(path) || path.contains(only))
    .map(({ path, message }) => ({ guard: "unfit", message, path, stops: "subtree", allow: undefined }));
}
