import type { TreeNode } from "../../core/tree/node.js";
import type { PendingChange } from "../../plan/platform.js";
import type { LedgerRecord } from "../ledger/ledger.js";
import { type Planned, recordOf } from "../pass/planner.js";
import type { SettledJob } from "../write-target.js";
import { type ApplySession, hasWork, jobProgress, pendingNow, settledJobs } from "./apply-session.js";
import { touchedBy } from "./changed-nodes.js";
import { verifyLockedBox } from "./verify.js";

/** The description of each of our jobs starts with this prefix. */
export const JOB_PREFIX = "plumbline ";

/** State of the target after our lock was taken. */
export interface UnderLock {
  /** Our jobs. All have ended. */
  readonly jobs: readonly SettledJob[];
  /** Pending changes, listed after our jobs ended. */
  readonly pending: readonly PendingChange[];
  /** The nodes that the plan touches, also read after our jobs ended. Undefined if not requested or not readable. */
  readonly touched: TreeNode | undefined;
}

/**
 * Reads in one step all data that decides whether the plan still fits: the identity of the device, our jobs, pending changes and the nodes
 * that `planned` touches. If one of our jobs still runs, waits for it and reads the rest again, because the job changes both.
 * @param isQuiet True if there is no trace of a run that was cut off (`seemsQuiet`). Jobs are then only queried if our account has
 * uncommitted changes.
 */
export async function readStateUnderLock(session: ApplySession, planned?: Planned, isQuiet = false): Promise<UnderLock> {
  return await session.step("settle-jobs", async () => {
    if (!isQuiet) return await lookAndSettle(session, planned);
    const [look] = await Promise.all([pendingAndTouched(session, planned), verifyLockedBox(session)]);
    if (look.pending.some(({ owner }) => owner === session.facts.administrator)) return await lookAndSettle(session, planned);
    session.lock.hasAskedJobs = false;
    return { jobs: [], ...look };
  });
}

async function lookAndSettle(session: ApplySession, planned: Planned | undefined): Promise<UnderLock> {
  let hasWaited = false;
  const told = jobProgress(session, "waiting for a commit of an earlier run");
  const settled = settledJobs(session, JOB_PREFIX, (event) => {
    hasWaited = true;
    told(event);
  });
  const [jobs, look] = await Promise.all([settled, pendingAndTouched(session, planned), verifyLockedBox(session)]);
  session.lock.hasAskedJobs = true;
  return { jobs, ...(hasWaited ? await pendingAndTouched(session, planned) : look) };
}

/**
 * Returns true if there is no trace of a Plumbline run that was cut off and whose commit may still follow. Traces are its lock, a lock that
 * we waited for, the ledger and the journal of this machine. If such a run left no trace, the target refuses our first batch while that
 * commit runs. On platforms without this guarantee, jobs are always queried.
 */
export async function seemsQuiet(session: ApplySession, tookOver: boolean): Promise<boolean> {
  const {
    locks,
    ledger,
    journal,
    write,
    facts: { capabilities },
    lock: { hasWaited, mayBeDisturbed },
  } = session;
  if (capabilities.refusesWritesDuringCommit !== true || locks === undefined) return false;
  if (tookOver || hasWaited || mayBeDisturbed || write.takeover || !isSettled(recordOf(ledger))) return false;
  return (await journal.unfinished()) === undefined;
}

/** Returns true if the ledger has no entry that a run records before it writes and removes after verification. */
function isSettled(record: LedgerRecord | undefined): boolean {
  if (record === undefined) return false;
  const { announced = [], leaving, unproven, watch, unanswered, stuck, snapshots } = record;
  return announced.length === 0 && [leaving, unproven, watch, unanswered, stuck, snapshots].every((each) => each === undefined);
}

async function pendingAndTouched(session: ApplySession, planned: Planned | undefined): Promise<Omit<UnderLock, "jobs">> {
  const [pending, touched] = await Promise.all([pendingNow(session), readTouched(session, planned)]);
  return { pending, touched };
}

/** Returns undefined if the read fails. The caller that needs the data reads it again and reports the error. */
async function readTouched({ target }: ApplySession, planned: Planned | undefined): Promise<TreeNode | undefined> {
  if (planned === undefined || !hasWork(planned)) return undefined;
  const { reads } = touchedBy(planned.plan.operations.map(({ operation }) => operation));
  return await target.read(reads, "candidate").catch(() => undefined);
}
