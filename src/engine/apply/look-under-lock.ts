import type { TreeNode } from "../../core/tree/node.js";
import type { PendingChange } from "../../plan/platform.js";
import type { LedgerRecord } from "../ledger.js";
import { type Planned, recordOf } from "../pass/planner.js";
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
 * Where a job of ours still runs it is waited for, and the others are asked for again, since it changes both. `isQuiet`: nothing speaks of a
 * run before that was cut off (`seemsQuiet`), so that jobs are asked for only where our account has something uncommitted.
 */
export async function lookUnderLock(session: ApplySession, planned?: Planned, isQuiet = false): Promise<UnderLock> {
  return await session.step("settle-jobs", async () => {
    if (!isQuiet) return await lookAndSettle(session, planned);
    const [look] = await Promise.all([pendingAndTouched(session, planned), verifyLockedBox(session)]);
    if (look.pending.some(({ owner }) => owner === session.administrator)) return await lookAndSettle(session, planned);
    session.hasAskedJobs = false;
    return { jobs: [], ...look };
  });
}

async function lookAndSettle(session: ApplySession, planned: Planned | undefined): Promise<UnderLock> {
  let hasWaited = false;
  const told = jobProgress(session, "waiting for a commit of ours");
  const settled = settledJobs(session, JOB_PREFIX, (event) => {
    hasWaited = true;
    told(event);
  });
  const [jobs, look] = await Promise.all([settled, pendingAndTouched(session, planned), verifyLockedBox(session)]);
  session.hasAskedJobs = true;
  return { jobs, ...(hasWaited ? await pendingAndTouched(session, planned) : look) };
}

/**
 * Whether nothing says that a run of ours may have been cut off, and its commit still be to come: its lock, our having waited for one, the
 * ledger, the journal of this machine. Where a run was cut off that left no such trace, the target refuses our first batch for as long as
 * that commit goes on; of one that does not, jobs are always asked for.
 */
export async function seemsQuiet(session: ApplySession, tookOver: boolean): Promise<boolean> {
  const { capabilities, locks, ledger, journal, hasWaited, mayBeDisturbed, write } = session;
  if (capabilities.refusesBesideCommit !== true || locks === undefined) return false;
  if (tookOver || hasWaited || mayBeDisturbed || write.takeover || !isSettled(recordOf(ledger))) return false;
  return (await journal.unfinished()) === undefined;
}

/** Nothing stands in it that a run writes down before it writes, and takes out once that is proven. */
function isSettled(record: LedgerRecord | undefined): boolean {
  if (record === undefined) return false;
  const { announced = [], leaving, unproven, watch, unanswered, stuck, snapshots } = record;
  return announced.length === 0 && [leaving, unproven, watch, unanswered, stuck, snapshots].every((each) => each === undefined);
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
