import type { Refusal } from "../plan/model.js";
import type { RunFacts } from "./context.js";

/** Name of the guard. */
export const TARGETS = "targets";

/**
 * A mistake in a document that many targets share reaches all of them in a minute. Above `guards.targets`, a commit goes in waves or needs
 * `--allow`.
 */
export function refuseManyTargets({ targetsOfRun, writes, allow }: Pick<RunFacts, "targetsOfRun" | "writes" | "allow">): Refusal[] {
  if (targetsOfRun === undefined || !writes) return [];
  const { count, limit } = targetsOfRun;
  if (count <= Math.max(limit, allow.count(TARGETS))) return [];
  const message = `${count} targets would be written in one run: over guards.targets, which is ${limit}. An agent delivers a commit in waves (agent.rollout).`;
  return [{ guard: TARGETS, message, path: undefined, allow: `--allow ${TARGETS}=${count}` }];
}
