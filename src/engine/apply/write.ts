import { PlumblineError } from "../../core/errors.js";
import type { Operation } from "../../core/operation.js";
import { parsePath } from "../../core/tree/xpath.js";
import { isLeaseLost } from "../../core/write-lease.js";
import type { Plan, PlannedOperation } from "../../plan/model.js";
import { type Planned, stopsTarget } from "../pass/planner.js";
import { writtenSecrets } from "../pass/secret-leaves.js";
import { type ApplySession, hasWork, jobProgress, note, planAgain, say } from "./apply-session.js";
import { isLost } from "./errors.js";
import { recordBefore } from "./record.js";
import { recordMade } from "./record-made.js";
import { refusePaused } from "./refuse-paused.js";
import { rememberUnanswered } from "./unanswered-requests.js";
import { verifyLockWithPending, verifyStanding } from "./verify.js";

const ATTEMPTS = 3;

/** The batches up to the next commit. */
export function nextSegment(plan: Plan): readonly (readonly PlannedOperation[])[] {
  return plan.commitAfter.length > 1 ? plan.batches.slice(0, (plan.commitAfter[0] ?? plan.batches.length - 1) + 1) : plan.batches;
}

/**
 * Sends the batches up to the next commit. After a lost reply the target is read again, and what is still missing is
 * planned anew: what stands there is the truth, not what we believe we sent.
 */
export async function writeSegment(session: ApplySession, first: Planned): Promise<Planned> {
  let planned = first;
  for (let attempt = 1; ; attempt++) {
    try {
      await writeAndRemember(session, planned.plan, attempt === 1);
      return planned;
    } catch (error) {
      if (!isLost(error) || attempt === ATTEMPTS) throw error;
      say(session, "the reply was lost, reading what stands");
      planned = await planAgain(session);
      session.undo.settle(planned.live.candidate, session.target.shape);
      if (planned.plan.refusals.some(stopsTarget)) throw error;
      if (!hasWork(planned)) return planned;
      // Much time has gone by: our lock may have been broken meanwhile, and a pause have been said to hold.
      await session.step("verify-identity", () => verifyStanding(session, "write"));
      await refusePaused(session);
      // It may write more than the plan before: what a list had left out is there by now.
      await session.step("ledger-before", () => recordBefore(session, planned));
    }
  }
}

/** Also where a batch fails: what those before it made is known by its id when it is read and planned again, here or by the next run. */
async function writeAndRemember(session: ApplySession, plan: Plan, isFirst: boolean): Promise<void> {
  try {
    await writeBatches(session, plan, isFirst);
  } catch (error) {
    if (isLost(error)) {
      session.hasLostReply = true;
      rememberUnanswered(session, plan);
    }
    // Whoever works in our place by now has the ledger.
    if (!isLeaseLost(error) && session.lease?.lost === undefined) await recordMade(session);
    throw error;
  }
  await recordMade(session);
}

/** `isFirst`: the ledger was written since the device was asked anything, and that takes as long as it takes. */
async function writeBatches(session: ApplySession, plan: Plan, isFirst: boolean): Promise<void> {
  const segment = nextSegment(plan);
  for (const [index, batch] of segment.entries()) {
    goOnUnlessStopped(session);
    say(session, "writing", { done: index + 1, all: segment.length });
    const operations = batch.map(({ operation }) => operation);
    if (session.capabilities.independentObjects === true) {
      await writeAlone(session, batch, plan.digest, index);
      continue;
    }
    await note(session, "write", plan.digest, { batch: index });
    const listed = isFirst && index === 0 ? await session.step("verify-identity", () => verifyLockWithPending(session)) : undefined;
    session.undo.begin(operations);
    await session.step("write", () => session.writer.write(operations, listed));
    session.undo.done();
    session.requests += 1;
    count(session, operations);
  }
}

/** @throws PlumblineError `interrupted` between two steps; what stands uncommitted is put back. */
export function goOnUnlessStopped({ context, target }: ApplySession): void {
  if (context.options.stop?.aborted !== true) return;
  throw new PlumblineError("interrupted", "The run was asked to stop", {
    where: { target: target.name },
    next: "Run again: it goes on from what stands.",
  });
}

function count(session: ApplySession, operations: readonly Operation[]): void {
  session.operations += operations.length;
  session.deletes += operations.filter((operation) => operation.action === "delete").length;
  for (const path of writtenSecrets(operations)) session.written.add(path);
}

/** Objects that stand for themselves: what fails is remembered, and what needs it is left out. */
async function writeAlone(session: ApplySession, planned: readonly PlannedOperation[], digest: string, batch: number): Promise<void> {
  const together = session.capabilities.wholeObjectWrites === true ? [planned] : planned.map((operation) => [operation]);
  for (const group of together) {
    const chosen = group.filter((operation) => !session.failures.skips(operation));
    const [first] = chosen;
    if (first === undefined) continue;
    const wanted = chosen.map(({ operation }) => operation);
    await note(session, "write", digest, { batch });
    try {
      await session.step("write", () => session.writer.write(wanted));
      session.requests += 1;
      count(session, wanted);
    } catch (error) {
      if (!(error instanceof PlumblineError) || isLost(error) || isLeaseLost(error)) throw error;
      session.failures.add(first, error);
    }
  }
}

/**
 * Waits for what the platform is still making.
 * @throws PlumblineError `partly-applied` when anything of the plan failed; what was done stands.
 */
export async function settle(session: ApplySession): Promise<void> {
  const { target, failures, step } = session;
  const { builds } = session.writer;
  if (builds !== undefined) {
    const late = await step("settle", () => builds.settle(jobProgress(session, "making")));
    for (const error of late) failures.addLate(error, parsePath(error.where.xpath ?? `/${session.context.desired.root.tag}`));
  }
  if (failures.any) throw failures.summary(target.name, session.operations);
}
