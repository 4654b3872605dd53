import type { TreeNode } from "../../core/tree/node.js";
import type { PendingChange } from "../../plan/platform.js";
import type { Planned } from "../pass/planner.js";
import type { SettledJob } from "../write-target.js";
import { type ApplySession, hasWork, jobProgress, pendingNow, settledJobs } from "./apply-session.js";
import { touchedBy } from "./touched.js";
import { verifyLockedBox } from "./verify.js";

/** Jobs of ours carry this at the start of their description. */
export const JOB_PREFIX = "plumbline ";

/** What the target says once the lock is ours. */
export interface UnderLock {
  /** Of ours, all of them over. */
  readonly jobs: readonly SettledJob[];
  /** Listed when none of ours ran any more. */
  readonly pending: readonly PendingChange[];
  /** What the plan touches, read likewise; undefined where that was not asked for, or could not be read. */
  readonly touched: TreeNode | undefined;
}

/**
 * Asks in one step for all that decides whether the plan still fits: which box it is, jobs of ours, what is pending, what `planned` touches.
 * Where a job of ours still runs it is waited for, and the others are asked for again, since it changes both.
 */
export async function lookUnderLock(session: ApplySession, planned?: Planned): Promise<UnderLock> {
  return await session.step("settle-jobs", async () => {
    let hasWaited = false;
    const told = jobProgress(session, "waiting for a commit of ours");
    const settled = settledJobs(session, JOB_PREFIX, (event) => {
      hasWaited = true;
      told(event);
    });
    const [jobs, look] = await Promise.all([settled, pendingAndTouched(session, planned), verifyLockedBox(session)]);
    return { jobs, ...(hasWaited ? await pendingAndTouched(session, planned) : look) };
  });
}

async function pendingAndTouched(session: ApplySession, planned: Planned | undefined): Promise<Omit<UnderLock, "jobs">> {
  const [pending, touched] = await Promise.all([pendingNow(session), readTouched(session, planned)]);
  return { pending, touched };
}

/** What cannot be read now is read again by whoever needs it, who then says why not. */
async function readTouched({ target }: ApplySession, planned: Planned | undefined): Promise<TreeNode | undefined> {
  if (planned === undefined || !hasWork(planned)) return undefined;
  const { reads } = touchedBy(planned.plan.operations.map(({ operation }) => operation));
  return await target.read(reads, "candidate").catch(() => undefined);
}
