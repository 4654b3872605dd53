import { PlumblineError } from "../../core/errors.js";
import { parsePath } from "../../core/tree/xpath/xpath.js";
import { isLeaseLost } from "../../core/write-lease.js";
import type { Plan, PlannedOperation } from "../../plan/model.js";
import { type Planned, stopsTarget } from "../pass/planner.js";
import { type ApplySession, hasWork, jobProgress, type LedgerSession, note, replan, reportProgress } from "./apply-session.js";
import { countOperations, throwIfRunStopped } from "./count-operations.js";
import { isLost } from "./errors.js";
import { Failures } from "./failures.js";
import { recordBefore, recordReadBack } from "./record.js";
import { recordCreated } from "./record-created.js";
import { refusePaused } from "./refuse-paused.js";
import type { Announced, Written } from "./states.js";
import { rememberUnanswered } from "./unanswered-requests.js";
import { verifyActiveAndLocked, verifyLockWithPending } from "./verify.js";
import { writeObjects } from "./write-objects.js";

const ATTEMPTS = 3;

/** Returns the batches up to the next commit. */
function nextSegment(plan: Plan): readonly (readonly PlannedOperation[])[] {
  return plan.commitAfter.length > 1 ? plan.batches.slice(0, (plan.commitAfter[0] ?? plan.batches.length - 1) + 1) : plan.batches;
}

/** Returns true if the plan needs no further commit after its next one. */
export function isLastSegment(plan: Plan): boolean {
  return nextSegment(plan).length === plan.batches.length;
}

/**
 * Sends the batches up to the next commit, and waits for objects that the platform is still creating.
 * @throws PlumblineError `partly-applied` if a part of the plan failed. Completed operations stay in effect.
 */
export async function writePlan(session: ApplySession, announced: Announced): Promise<Written> {
  const failures = new Failures(session.target.shape);
  const written = await writeSegment(session, announced, failures);
  await settle(session, failures);
  return written;
}

/**
 * After a lost reply, reads the target again and plans the missing changes: the state of the target decides, not the list of sent requests.
 */
async function writeSegment(session: ApplySession, first: Announced, failures: Failures): Promise<Written> {
  let announced = first;
  let { planned } = first.confirmed;
  for (let attempt = 1; ; attempt++) {
    try {
      await writeAndRemember(session, planned, { failures, isFirst: attempt === 1 });
      return { announced, sent: planned };
    } catch (error) {
      if (!isLost(error) || attempt === ATTEMPTS) throw error;
      reportProgress(session, "the reply was lost, reading the current state");
      planned = await replan(session);
      session.progress.undo.settle(planned.live.candidate, session.target.shape);
      if (planned.plan.refusals.some(stopsTarget)) throw error;
      if (!hasWork(planned)) return { announced, sent: planned };
      // Much time has passed: another run may have broken our lock, or an operator may have paused the target.
      await session.step("verify-identity", () => verifyActiveAndLocked(session, "write"));
      await refusePaused(session);
      // The new plan may write more than the previous one, because omitted objects may be visible now.
      const ledgerBefore = await session.step("ledger-before", () => recordBefore(session, planned, announced.ledgerBefore));
      announced = { ...announced, ledgerBefore };
    }
  }
}

/** Records created objects even if a batch fails. This run or the next one can then find them by id when it plans again. */
async function writeAndRemember(
  session: ApplySession,
  planned: Planned,
  { failures, isFirst }: { readonly failures: Failures; readonly isFirst: boolean },
): Promise<void> {
  const { plan } = planned;
  try {
    if (session.facts.capabilities.independentObjects === true) await writeObjects(session, nextSegment(plan), planned, failures);
    else await writeBatches(session, plan, isFirst);
  } catch (error) {
    if (isLost(error)) {
      session.progress.hasLostReply = true;
      rememberUnanswered(session, plan);
    }
    // If another run has taken over, it has the ledger.
    if (!isLeaseLost(error) && session.lease?.lost === undefined) await recordCreated(session);
    throw error;
  }
  await recordCreated(session);
}

/** @param isFirst True for the first attempt: the ledger write before it takes time, so the lock is checked again. */
async function writeBatches(session: ApplySession, plan: Plan, isFirst: boolean): Promise<void> {
  const segment = nextSegment(plan);
  for (const [index, batch] of segment.entries()) {
    throwIfRunStopped(session);
    reportProgress(session, "writing", { done: index + 1, all: segment.length });
    const operations = batch.map(({ operation }) => operation);
    await note(session, "write", plan.digest, { batch: index });
    const listed = isFirst && index === 0 ? await session.step("verify-identity", () => verifyLockWithPending(session)) : undefined;
    session.progress.undo.begin(operations);
    await session.step("write", () => session.writer.write(operations, listed));
    session.progress.undo.done();
    countOperations(session, operations);
  }
}

async function settle(session: ApplySession, failures: Failures): Promise<void> {
  const {
    target,
    step,
    writer: { builds },
  } = session;
  if (builds !== undefined) {
    const late = await step("settle", () => builds.settle(jobProgress(session, "making")));
    for (const error of late) failures.addLate(error, parsePath(error.where.xpath ?? `/${session.context.desired.root.tag}`));
  }
  if (!failures.any) return;
  if (session.progress.operations > 0) await noteRemaining(session);
  throw failures.summary(target.name, session.progress.operations);
}

/** The failure is reported in any case. If the target or the ledger cannot be used now, the next run finds the state. */
async function noteRemaining(session: LedgerSession): Promise<void> {
  try {
    const remaining = await session.step("read-back", () => replan(session));
    await session.step("ledger-made", () => recordReadBack(session, remaining));
  } catch (error) {
    if (!(error instanceof PlumblineError)) throw error;
  }
}
