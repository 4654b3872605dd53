import { PlumblineError } from "../../core/errors.js";
import { isLeaseLost } from "../../core/write-lease.js";
import type { ApplySession, LockSession } from "./apply-session.js";
import { asPlumblineError } from "./errors.js";
import { recordSnapshots } from "./record.js";
import { restore } from "./restore.js";
import { removeLeftSnapshots } from "./snapshots.js";
import { giveLock } from "./take-lock.js";

function lossOf({ write, target, lease }: LockSession): PlumblineError | undefined {
  if (lease?.lost !== undefined) return lease.lost;
  try {
    write.lease?.mayWrite();
    return undefined;
  } catch (error) {
    return asPlumblineError(error, target.name);
  }
}

/** Ends a failed run: restores the candidate, releases the lock and returns the error with its severity. */
export async function cleanUpAfterFailure(session: ApplySession, cause: unknown): Promise<PlumblineError> {
  const {
    facts: { capabilities },
  } = session;
  // Another run has the lease now. The restore and the unlock belong to that run.
  const lost = lossOf(session);
  if (lost !== undefined) return lost;
  const error = asPlumblineError(cause, session.target.name);
  const restored = session.progress.lockMustStay ? undefined : await restore(session).catch((failure: unknown) => failure);
  if (isLeaseLost(restored)) return asPlumblineError(restored, session.target.name);
  if (restored !== undefined) {
    session.progress.lockMustStay = true;
    const why = restored instanceof Error ? restored.message : String(restored);
    return new PlumblineError("candidate-not-restored", `${error.message}. The written changes could not be reverted: ${why}`, {
      where: { ...error.where, target: session.target.name },
      next: "The lock stays. Check the candidate on the device. The next run takes over if it finds nothing else.",
      severity: "partial",
      cause,
    });
  }
  if (!session.progress.lockMustStay) {
    if (error.severity !== "partial") await forgetLeftSnapshots(session);
    await giveLock(session);
  }
  if (capabilities.independentObjects === true && session.progress.operations > 0 && error.severity !== "partial")
    return stateText(session, error);
  if (session.progress.commits === 0 || session.progress.isComplete) return error;
  return new PlumblineError("partly-applied", `${session.progress.commits} commits were made, then: ${error.message}`, {
    where: error.where,
    next: error.next,
    severity: "partial",
    cause,
  });
}

/** A later run removes the remaining snapshots. A failure here does not replace the error of this run. */
async function forgetLeftSnapshots(session: ApplySession): Promise<void> {
  try {
    await removeLeftSnapshots(session);
    await recordSnapshots(session);
  } catch (error) {
    session.warnings.push(`saved configurations may stay on the target: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function stateText({ progress: { operations, isComplete } }: Pick<ApplySession, "progress">, cause: PlumblineError): PlumblineError {
  if (isComplete) return cause;
  return new PlumblineError("partly-applied", `${operations} operations were applied, then: ${cause.message}`, {
    where: cause.where,
    next: cause.next,
    severity: "partial",
    cause,
  });
}
