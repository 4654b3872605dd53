import { PlumblineError } from "../../core/errors.js";
import type { Operation } from "../../core/operation.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { PendingChange } from "../../plan/platform.js";
import { type ApplySession, note, othersText, pendingNow, type TargetSession } from "../apply/apply-session.js";
import { placesOf, touchedBy } from "../apply/changed-nodes.js";
import { differingUnit } from "../apply/differing-node.js";
import { isLost } from "../apply/errors.js";
import { recordLost } from "../apply/record-created.js";
import { refusePaused } from "../apply/refuse-paused.js";
import { lockUnlessHeld } from "../apply/take-lock.js";
import { Undo } from "../apply/undo.js";
import { checkBeforeCommit, mayBeCommittedByOthers, refuseNewChangesOfOthers, verifyActiveAndLocked } from "../apply/verify.js";
import { commit, commitPrefix, validate } from "../commit.js";
import type { NotRestored } from "./restoration.js";

const NEXT_RUN_RETRIES = "Read the device's message. The next run tries the rollback again.";

export interface Rollback {
  readonly digest: string;
  readonly operations: readonly Operation[];
  /** The tree that the operations were planned from. */
  readonly planned: TreeNode;
  /** The candidate already contains the rollback, from an aborted run. */
  readonly isDue: boolean;
}

/**
 * Writes a rollback under our lock and commits it once, or several times if the platform limits pending changes. Resolves to the operations
 * that the target refused permanently. Resolves to undefined, without sending operations, if others changed the planned places.
 */
export async function writeRollback(
  session: ApplySession,
  { digest, operations, planned, isDue }: Rollback,
): Promise<NotRestored[] | undefined> {
  await refusePaused(session);
  if (operations.length === 0) {
    if (isDue) await commitRound(session, digest, operations, undefined);
    return [];
  }
  await note(session, "take-back", digest);
  const left: NotRestored[] = [];
  const most = session.facts.capabilities.maxPendingChanges ?? operations.length;
  for (let at = 0; at < operations.length; at += most) {
    const round = operations.slice(at, at + most);
    const { reads, units } = touchedBy(round);
    if (at > 0) await lockUnlessHeld(session, digest, reads);
    await session.step("verify-identity", () => verifyActiveAndLocked(session, "write"));
    const pending = await pendingNow(session);
    refuseToTakeAlong(session, pending);
    const changesOfOthers = othersText(pending, session.facts.administrator);
    const running = mayBeCommittedByOthers(session) ? await session.target.read(reads, "running") : undefined;
    const current = await session.target.read(reads, "candidate");
    if (at === 0 && differingUnit(planned, current, units, session.target.shape) !== undefined) return undefined;
    session.progress.undo = new Undo(current, changesOfOthers);
    left.push(...(await writeRound(session, round)));
    if (session.progress.undo.sent.length > 0) await commitRound(session, digest, round, running);
  }
  return left;
}

/** @throws PlumblineError `foreign-change` (refused) if our commit would include other administrators' pending changes. */
function refuseToTakeAlong({ target, facts: { capabilities, administrator } }: TargetSession, pending: readonly PendingChange[]): void {
  const ofOthers = capabilities.partialCommit ? undefined : pending.find(({ owner }) => owner !== administrator);
  if (ofOthers === undefined) return;
  throw new PlumblineError("foreign-change", `${ofOthers.owner} has uncommitted work, which this commit would include`, {
    where: { target: target.name, xpath: ofOthers.xpath },
    next: "Have them commit or revert their work. The next run rolls the commit back.",
    severity: "refused",
  });
}

/** Retries refused operations after the rest, as long as at least one succeeds. */
async function writeRound(session: ApplySession, operations: readonly Operation[]): Promise<NotRestored[]> {
  const { atomicBatch, maxBatchOperations } = session.facts.capabilities;
  const size = atomicBatch ? maxBatchOperations : 1;
  let waiting: Operation[] = [];
  for (let at = 0; at < operations.length; at += size) {
    const batch = operations.slice(at, at + size);
    if ((await refusalOf(session, batch)) !== undefined) waiting.push(...batch);
  }
  for (;;) {
    const left: NotRestored[] = [];
    const refused: Operation[] = [];
    for (const operation of waiting) {
      const why = await refusalOf(session, [operation]);
      if (why === undefined) continue;
      refused.push(operation);
      left.push({ xpath: operation.at.toString(), why });
    }
    if (refused.length === waiting.length) return left;
    waiting = refused;
  }
}

/** The target's reason for refusing the operations, none of which it carried out. Undefined if it accepted them. */
async function refusalOf(session: ApplySession, batch: readonly Operation[]): Promise<string | undefined> {
  const {
    progress: { undo },
  } = session;
  undo.begin(batch);
  try {
    await session.step("take-back", () => session.writer.write(batch));
    undo.done();
    return undefined;
  } catch (error) {
    if (isLost(error)) await recordLost(session, placesOf(batch), error);
    if (!(error instanceof PlumblineError) || isLost(error)) throw error;
    undo.begin([]);
    return error.message;
  }
}

/** `before`: running configuration at our places, on a target without locks. */
async function commitRound(
  session: ApplySession,
  digest: string,
  operations: readonly Operation[],
  before: TreeNode | undefined,
): Promise<void> {
  const {
    writer,
    step,
    facts: { capabilities },
  } = session;
  const { commits } = writer;
  if (commits === undefined) return;
  if (capabilities.validate) await step("validate", () => validate(session, commits, NEXT_RUN_RETRIES));
  const ready = async () => {
    const pending = await step("verify-identity", () => checkBeforeCommit(session, operations, before));
    if (pending !== undefined) await step("foreign-check", () => refuseNewChangesOfOthers(session, pending));
  };
  await ready();
  await step("commit", () => commit(session, commits, digest, { prefix: commitPrefix(session, digest, "rollback "), ready }));
  session.progress.undo.forget();
  session.progress.commits += 1;
  // The rollback commit is complete; no plan is left half-applied.
  session.progress.isComplete = true;
}
