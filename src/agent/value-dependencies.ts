import { type CommitIndex, closureOf } from "./commit-index.js";
import type { TargetState, Visit, Visited, VisitParts } from "./visit-parts.js";
import type { WriteBlock } from "./write-blocks.js";

/** Progress of a target with the active commit. `due`: not tried yet. `failed`: tried without success. */
export type Progress = "settled" | "due" | "failed";

/** Effect of the targets whose values a target uses (docs/contributing/lifecycle.md#several-targets). */
export interface ValueDependencies {
  /** Set while one of these targets has not received the commit. */
  readonly held: WriteBlock | undefined;
  /** Targets that failed to get the commit. Until they get it, nothing is deleted. */
  readonly blockedBy: readonly string[];
}

const RECHECK_INTERVAL = 5_000;

/** Lets a target wait for the targets whose values it uses, as in the waves of one run. */
export async function valueDependencies({ target, context }: Visit, { source, progress, clock }: VisitParts): Promise<ValueDependencies> {
  const { inForce } = source;
  const followed = inForce === undefined ? [] : [...context.dependencies.dependsOn].filter((other) => !dependsOn(other, target, inForce));
  if (followed.length === 0) return { held: undefined, blockedBy: [] };
  const known = await progress(followed);
  const due = followed.filter((other) => known.get(other) === "due");
  const blockedBy = followed.filter((other) => known.get(other) === "failed");
  if (due.length === 0) return { held: undefined, blockedBy };
  const message = `${due.join(", ")}, whose values it takes, ${due.length === 1 ? "gets" : "get"} the commit first`;
  return { held: { reason: "follows", message, until: clock.now() + RECHECK_INTERVAL }, blockedBy };
}

/** Returns whether a visit changed values or progress on which other targets depend. */
export function changesDependents({ result }: Visited, before: Waiting, after: Waiting): boolean {
  return result === "applied" || before.tried !== after.tried || before.commitPending !== after.commitPending;
}

type Waiting = Pick<TargetState, "tried" | "commitPending">;

/** Returns whether `other` depends on `target` too. Such targets do not wait for each other. */
function dependsOn(other: string, target: string, { targets }: CommitIndex): boolean {
  return closureOf([other], targets).has(target);
}
