import { PlumblineError } from "../../core/errors.js";
import { pendingPath } from "../../plan/pending-path.js";
import type { PendingChange } from "../../plan/platform.js";
import type { Planned } from "../pass/planner.js";
import { type ApplySession, type LedgerSession, pendingNow, reportProgress } from "./apply-session.js";
import { revertListed } from "./revert-own.js";
import { lockUnlessHeld } from "./take-lock.js";

/**
 * Reverts changes of late requests: a request without a reply, from this run or an earlier one, may be executed after our commit. If our
 * account also has changes outside the plan, another person may use the account: the run only warns.
 * @param standing State after the commit. Pending changes are read again if this run lost a reply.
 * @returns True if any of these changes are gone now.
 */
export async function revertLateRequests(
  session: ApplySession,
  { planned: { plan }, remaining }: { readonly planned: Planned; readonly remaining: Planned },
): Promise<boolean> {
  const {
    step,
    facts: { administrator, capabilities },
  } = session;
  const ownOf = (pending: readonly PendingChange[]) => pending.filter(({ owner }) => owner === administrator);
  const isOfPlan = (change: PendingChange): boolean => {
    const path = pendingPath(change);
    return path !== undefined && plan.operations.some(({ operation: { at } }) => path.contains(at) || at.contains(path));
  };
  const own = ownOf(session.progress.hasLostReply ? await pendingNow(session) : remaining.live.pending);
  if (own.length === 0) return false;
  if (!own.every(isOfPlan)) return warnOfUncommitted(session, own, "a person may use this account");
  if (!capabilities.partialRevert) return warnOfUncommitted(session, own, "a request with a lost reply was executed after the commit");
  // If our commit removed our lock, another Plumbline run may be writing these changes now.
  try {
    await lockUnlessHeld(session, plan.digest, remaining.live.subtrees);
  } catch (error) {
    if (!(error instanceof PlumblineError) || error.severity !== "refused") throw error;
    return warnOfUncommitted(session, own, error.message);
  }
  const left = ownOf(await pendingNow(session));
  if (left.length === 0) return true;
  if (!left.every(isOfPlan)) return warnOfUncommitted(session, left, "a person may use this account");
  reportProgress(session, "a request was executed after the commit, reverting its change");
  await step("revert-leftovers", () => revertListed(session, left));
  return true;
}

/**
 * Warns about changes that came after the last check. Removing the lock takes time if that request gets no reply either. Without the lock
 * the changes may belong to another run, so they are not reverted.
 */
export async function warnOfLateRequests(session: LedgerSession): Promise<void> {
  const {
    warnings,
    facts: { administrator },
    progress: { hasLostReply },
  } = session;
  if (!hasLostReply) return;
  try {
    const own = (await pendingNow(session)).filter(({ owner }) => owner === administrator);
    if (own.length > 0) warnOfUncommitted(session, own, "a request with a lost reply may have been executed after the commit");
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    warnings.push(`the final check for uncommitted changes of the account ${administrator} failed: ${why}`);
  }
}

function warnOfUncommitted(
  { warnings, facts: { administrator } }: Pick<ApplySession, "facts" | "warnings">,
  own: readonly PendingChange[],
  what: string,
): false {
  warnings.push(`the account ${administrator} has uncommitted changes again (${own.length}, at ${own[0]?.xpath}): ${what}`);
  return false;
}
