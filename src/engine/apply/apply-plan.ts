import { PlumblineError } from "../../core/errors.js";
import { during } from "../../core/observe.js";
import type { Path } from "../../core/tree/path.js";
import type { JudgedAssertion } from "../../outcome/assertion.js";
import { commit, validate } from "../commit.js";
import { changedBefore } from "../overwritten.js";
import { mayCommitBlindly } from "../pass/blind-commit.js";
import { isHalfMadeAlone } from "../pass/duplicate-creates.js";
import { type Planned, recordOf } from "../pass/planner.js";
import type { OutcomeDraft } from "../pass/run-targets.js";
import { takeBaseline } from "../watch/baseline.js";
import { beginWatch, isWatched, warnOfIdleChecks } from "../watch/begin-watch.js";
import { committedAt, decide } from "../watch/decide.js";
import { finishWatch } from "../watch/finish.js";
import { candidateLost, committedNothing, hasCommittedNothing, notConverging } from "./after-commit.js";
import { type ApplySession, hasWork, type LedgerSession, note, replan, reportProgress, type TargetSession } from "./apply-session.js";
import { cleanUpAfterFailure } from "./clean-up-after-failure.js";
import { confirm, refuseUncommitted } from "./confirm.js";
import { throwIfRunStopped } from "./count-operations.js";
import { revertLateRequests, warnOfLateRequests } from "./late-requests.js";
import { readLeftovers, revertLeftovers } from "./leftovers.js";
import { operationsDigest } from "./operations-digest.js";
import { isJudgedByPush } from "./push-watched.js";
import { recordAfter, recordBefore } from "./record.js";
import { refusePaused } from "./refuse-paused.js";
import { refuseShutWindow } from "./refuse-shut-window.js";
import { forgetsAnnounced, rereadLedger } from "./reread-ledger.js";
import { savesSnapshot } from "./snapshot-name.js";
import { forgetSnapshots, removeSnapshots, saveSnapshot } from "./snapshots.js";
import type { Announced, Committed, Confirmed, Locked, Verified, Written } from "./states.js";
import { giveLock, lockUnlessHeld, takeLock } from "./take-lock.js";
import { checkBeforeCommit, refuseNewChangesOfOthers, verifyActive, verifyDevice } from "./verify.js";
import { isLastSegment, writePlan } from "./write.js";

/** Maximum number of times that a run plans again because the candidate lost its changes before the commit. */
const MOST_REPEATS = 2;

/**
 * Carries out a plan (docs/contributing/apply.md) through the states of `states.ts`. A run can be killed at any step; the next run converges.
 * If a step fails, the candidate is restored.
 * @throws PlumblineError with severity `partial` if changes remain on the target although the plan failed.
 */
export async function applyPlan(session: ApplySession, first: Planned): Promise<Verified> {
  return await during("apply", () => applyUnderLock(session, first));
}

async function applyUnderLock(session: ApplySession, first: Planned): Promise<Verified> {
  // Starts reading the author from git early, so that no wait lies between the last check and the commit.
  void session.context.checkout.author();
  try {
    const locked = await lockTarget(session, first);
    const confirmed = await planUnderLock(session, locked, first);
    const verified = await applyInRounds(session, confirmed);
    await revertLateRequests(session, verified);
    await forgetSnapshots(session);
    await giveLock(session);
    await warnOfLateRequests(session);
    await session.journal.clear();
    return verified;
  } catch (error) {
    throw await cleanUpAfterFailure(session, error);
  }
}

/**
 * Decides on a commit that a killed run left to its checks (`watch/finish.ts`). Called before any other step. Returns true if there was
 * such a commit.
 */
export async function finishOpenWatch(session: ApplySession, draft: OutcomeDraft): Promise<boolean> {
  try {
    const isDecided = await finishWatch(session, draft);
    if (isDecided) await giveLock(session);
    return isDecided;
  } catch (error) {
    throw await cleanUpAfterFailure(session, error);
  }
}

async function lockTarget(session: ApplySession, first: Planned): Promise<Locked> {
  const { tookOver, hasWaited } = await takeLock(session, first.plan.digest, touchedBy(first));
  if (tookOver) session.progress.mayBeDisturbed = true;
  const hasMoved = await rereadLedger(session);
  const mayHaveChanged = await revertLeftovers(session, tookOver, await readLeftovers(session));
  return { isOutdated: hasWaited || hasMoved || mayHaveChanged || forgetsAnnounced(session, first) };
}

function touchedBy({ plan, live }: Planned): readonly Path[] {
  const writes = plan.operations.map(({ operation }) => operation.at);
  return writes.length > 0 ? writes : live.subtrees;
}

async function planUnderLock(session: LedgerSession, { isOutdated }: Locked, first: Planned): Promise<Confirmed> {
  const planned = await confirm(session, isOutdated ? await replan(session) : first);
  session.progress.changedBefore = await changedBefore(session, planned);
  if (isWatched(session, planned)) return { planned, baseline: await session.step("watch-baseline", () => takeBaseline(session)) };
  warnOfIdleChecks(session);
  return { planned, baseline: undefined };
}

/**
 * Repeats announce, write, commit and read back until the target is as desired. A platform with a limit on uncommitted changes needs one
 * round for each commit. Other platforms need more only if a round was lost.
 */
async function applyInRounds(session: ApplySession, first: Confirmed): Promise<Verified> {
  const rounds = { most: Math.max(1, first.planned.plan.commitAfter.length), current: 1, lost: 0, duplicates: 0 };
  let confirmed = first;
  let committed: Committed | undefined;
  while (hasWork(confirmed.planned) || mustCommitBlindly(session, committed)) {
    const announced = await announce(session, confirmed, committed?.written.announced);
    const written = await writePlan(session, announced);
    committed = await commitWritten(session, written);
    const remaining = await readBack(session, committed);
    if (!hasWork(remaining)) return await verify(session, committed, remaining);
    await refuseUselessRound(session, committed, remaining, rounds);
    await lockUnlessHeld(session, remaining.plan.digest, touchedBy(remaining));
    confirmed = { ...confirmed, planned: await confirm(session, remaining) };
  }
  return await recordResult(session, confirmed.planned, confirmed.planned, committed);
}

/**
 * Checks the preconditions of a write, and writes the ledger before anything else.
 * @param earlier The announcement of the round before.
 */
async function announce(session: ApplySession, confirmed: Confirmed, earlier: Announced | undefined): Promise<Announced> {
  const { step, writer } = session;
  const { planned } = confirmed;
  const { plan } = planned;
  refuseWhatDidNotHelp(session, planned);
  await step("verify-identity", () => verifyDevice(session));
  await refuseShutWindow(session.context, session.warnings);
  await refusePaused(session);
  const ledgerBefore = await step("ledger-before", () => recordBefore(session, planned, earlier?.ledgerBefore));
  await step("journal", () => note(session, "begin", plan.digest));
  const hasSnapshot = savesSnapshot(session, plan)
    ? await step("snapshot", () => saveSnapshot(session, plan.digest))
    : (earlier?.hasSnapshot ?? writer.snapshots !== undefined);
  return { confirmed, ledgerBefore, hasSnapshot };
}

/**
 * Validates and commits the written changes. On a platform without commits they are already in effect.
 * @internal Exported for a test of the types.
 */
export async function commitWritten(session: ApplySession, written: Written): Promise<Committed> {
  const {
    step,
    writer: { commits },
    facts: { capabilities },
  } = session;
  const { announced, sent } = written;
  const { planned } = announced.confirmed;
  const isComplete = isLastSegment(planned.plan);
  if (commits === undefined) {
    session.progress.isComplete = isComplete;
    return { written, result: undefined, runningBefore: undefined };
  }
  if (capabilities.validate) await step("validate", () => validate(session, commits));
  throwIfRunStopped(session);
  const runningBefore = isWatched(session, planned) ? await step("watch-begin", () => beginWatch(session, announced)) : undefined;
  // There is no wait between the check for other administrators' changes and the commit that may carry them. An operator who pauses the
  // target waits for our lock.
  const operations = sent.plan.operations.map(({ operation }) => operation);
  const check = () => checkBeforeCommit(session, operations, sent.live.running);
  const pending = await step("verify-identity", check);
  await step("foreign-check", () => refuseNewChangesOfOthers(session, pending));
  const ready = async () => refuseNewChangesOfOthers(session, await check());
  const result = await step("commit", () => commit(session, commits, planned.plan.digest, { ready }));
  session.progress.undo.forget();
  if (result.outcome !== "nothing") session.progress.commits += 1;
  session.progress.isComplete = isComplete;
  return { written, result, runningBefore };
}

/**
 * Reads the target after a commit, and plans again.
 * @throws PlumblineError `commit-failed` if the device committed nothing.
 */
async function readBack(session: ApplySession, { written, result }: Committed): Promise<Planned> {
  const { planned } = written.announced.confirmed;
  const remaining = await session.step("read-back", () => readRemaining(session));
  const isIdle = result?.outcome === "committed" && hasCommittedNothing(session, planned, remaining);
  // The plan is applied completely, but changes of our account are uncommitted again.
  const isReverted = isCommitAlone(remaining) && (await revertLateRequests(session, { planned, remaining }));
  const last = isReverted ? await session.step("read-back", () => readRemaining(session)) : remaining;
  if (isIdle) throw committedNothing(session);
  return last;
}

/**
 * Returns the state after the commit. The running configuration proves the commit if it is as wanted and there are no uncommitted changes.
 * Otherwise the candidate is read too: only the candidate shows values from templates and the author of each change, which later decisions
 * need.
 */
async function readRemaining(session: LedgerSession): Promise<Planned> {
  if (!showsByRunning(session)) return await replan(session);
  const remaining = await replan(session, true);
  return isProof(remaining) || remaining.live.pending.length > 0 ? remaining : await replan(session);
}

function isProof(remaining: Planned): boolean {
  return !hasWork(remaining) && remaining.plan.refusals.length === 0 && remaining.live.pending.length === 0;
}

/**
 * Returns false if a late request may have created objects. Only their author shows that they belong to us, and the running configuration
 * has no authors.
 */
function showsByRunning({ ledger, progress: { hasLostReply } }: Pick<ApplySession, "ledger" | "progress">): boolean {
  return !hasLostReply && recordOf(ledger.current)?.unanswered === undefined;
}

function isCommitAlone({ plan }: Planned): boolean {
  return plan.commitOnly && plan.operations.length === 0;
}

/** If pending changes can be neither listed nor compared, only a commit can show that there are none. */
function mustCommitBlindly({ context, facts: { capabilities } }: TargetSession, done: Committed | undefined): boolean {
  return done === undefined && mayCommitBlindly(capabilities, context);
}

/** Counts the rounds of one apply. */
interface Rounds {
  /** Number of commits that the first plan needs. */
  readonly most: number;
  /** Number of the current round, without repeated ones. */
  current: number;
  lost: number;
  duplicates: number;
}

/**
 * Decides whether another round can bring the target to the desired state.
 * @throws PlumblineError with the reason of the difference, if no further round can help.
 */
async function refuseUselessRound(session: ApplySession, committed: Committed, remaining: Planned, rounds: Rounds): Promise<void> {
  const { written } = committed;
  refuseUncommitted(session, remaining);
  if (isHalfMadeAlone(remaining) && ++rounds.duplicates <= MOST_REPEATS) {
    reportProgress(session, "a create request of an earlier run was executed late, deleting its object");
    session.progress.isComplete = false;
  } else if (isLost(committed, remaining)) {
    if (++rounds.lost > MOST_REPEATS) throw candidateLost(session, rounds.lost);
    reportProgress(session, "there was nothing to commit after the write, planning again");
    session.progress.isComplete = false;
  } else {
    const isLastRound = isLastSegment(written.announced.confirmed.planned.plan);
    if (isLastRound || rounds.current > rounds.most) throw await notConverging(session, written, remaining);
    rounds.current += 1;
  }
}

/**
 * Returns true if the candidate lost our changes, or the changes found in it, before the commit. A restart of the device discards both the
 * changes and our lock.
 */
function isLost({ result, written }: Committed, remaining: Planned): boolean {
  const { plan } = written.announced.confirmed.planned;
  return result?.outcome === "nothing" && (plan.operations.length > 0 || remaining.plan.operations.length > 0);
}

async function verify(session: ApplySession, committed: Committed, remaining: Planned): Promise<Verified> {
  if (committed.result !== undefined) await verifyActive(session);
  return await recordResult(session, committed.written.announced.confirmed.planned, remaining, committed);
}

/**
 * Records the result and decides on a watched commit.
 * @param committed The last commit. Undefined if there was nothing to write under the lock.
 */
async function recordResult(
  session: ApplySession,
  planned: Planned,
  remaining: Planned,
  committed: Committed | undefined,
): Promise<Verified> {
  const { result, runningBefore } = committed ?? {};
  await removeSnapshots(session);
  await session.step("ledger-after", async () => recordAfter(session, remaining, await committedAt(session)));
  if (!isJudgedByPush(session)) await decide(session, { owns: remaining.plan.owns, runningBefore });
  await note(session, "end", planned.plan.digest);
  const {
    progress: { operations, requests },
  } = session;
  const commitOutcome = result === undefined || result.outcome === "failed" ? "none" : result.outcome;
  return {
    planned: { ...planned, asserted: afterCommit(planned, remaining) },
    remaining,
    applied: { operations, requests, commit: commitOutcome, job: result?.job, lines: result?.lines ?? [], proven: true },
    runningBefore,
  };
}

/** Returns the assertions as judged after the commit, and marks those that this run broke. */
function afterCommit({ asserted = [] }: Planned, remaining: Planned): Planned["asserted"] {
  const isByThisRun = ({ name, scope }: JudgedAssertion): boolean =>
    asserted.some((each) => each.name === name && each.scope === scope && each.isByChange);
  return remaining.asserted?.map((each) => (isByThisRun(each) && each.state !== "holds" ? { ...each, isByChange: true } : each));
}

function refuseWhatDidNotHelp(session: LedgerSession, { plan }: Planned): void {
  const stuck = recordOf(session.ledger.current)?.stuck;
  if (
    stuck === undefined ||
    stuck.commit !== session.context.checkout.commit ||
    session.context.options.overrides.allow.has("not-converging")
  )
    return;
  if (plan.operations.length === 0 || stuck.operations !== operationsDigest(plan)) return;
  throw new PlumblineError("not-converging", "The same operations were applied before, and the target still differs", {
    where: { target: session.target.name, xpath: plan.operations[0]?.operation.at.toString() },
    next: "Change the desired state and commit it; --allow not-converging tries once more.",
  });
}
