import { type CommitIndex, closureOf } from "./commit-index.js";
import type { Held } from "./may-write.js";
import type { TargetState, Visit, Visited, VisitParts } from "./visit-parts.js";

/** How far a target is with the commit in force: `due` where nobody has tried it yet, `failed` where somebody did in vain. */
export type Progress = "settled" | "due" | "failed";

/** What comes between a target and the others whose values it takes (docs/lifecycle.md#several-targets). */
export interface Followers {
  /** Set while one of them has still to get the commit. */
  readonly held: Held | undefined;
  /** Those that could not get it: nothing is deleted before they have. */
  readonly blockedBy: readonly string[];
}

const LOOK_AGAIN = 5_000;

/** A target that takes values of others comes after them, as in the waves of one run. */
export async function followedBy({ target, context }: Visit, { source, progress, clock }: VisitParts): Promise<Followers> {
  const { inForce } = source;
  const followed = inForce === undefined ? [] : [...context.dependsOn].filter((other) => !dependsOn(other, target, inForce));
  if (followed.length === 0) return { held: undefined, blockedBy: [] };
  const known = await progress(followed);
  const due = followed.filter((other) => known.get(other) === "due");
  const blockedBy = followed.filter((other) => known.get(other) === "failed");
  if (due.length === 0) return { held: undefined, blockedBy };
  const message = `${due.join(", ")}, whose values it takes, ${due.length === 1 ? "gets" : "get"} the commit first`;
  return { held: { reason: "follows", message, until: clock.now() + LOOK_AGAIN }, blockedBy };
}

/** Whether a visit changed what followers of the target wait for, or the values that they take. */
export function concernsFollowers({ result }: Visited, before: Waiting, after: Waiting): boolean {
  return result === "applied" || before.tried !== after.tried || before.commitPending !== after.commitPending;
}

type Waiting = Pick<TargetState, "tried" | "commitPending">;

/** Of targets that depend on each other in a circle none waits. */
function dependsOn(other: string, target: string, { targets }: CommitIndex): boolean {
  return closureOf([other], targets).has(target);
}
