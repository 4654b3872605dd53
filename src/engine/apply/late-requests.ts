import { PlumblineError } from "../../core/errors.js";
import { pendingPath } from "../../plan/pending-path.js";
import type { PendingChange } from "../../plan/platform.js";
import type { Planned } from "../pass/planner.js";
import { type ApplySession, pendingNow, say } from "./apply-session.js";
import { revertListed } from "./revert-own.js";
import { lockUnlessHeld } from "./take-lock.js";

/**
 * A request whose reply was lost, to us or to a run before, may be carried out after our commit: what it leaves is ours, and is taken
 * away before we say that we are done. What lies elsewhere is somebody's who works under our account: told, and left alone. `standing`
 * is what was read back, and is asked for once more where a reply of our own was lost. Resolves to whether anything of it is gone now.
 */
export async function clearLateRequests(
  session: ApplySession,
  { planned: { plan }, standing }: { readonly planned: Planned; readonly standing: Planned },
): Promise<boolean> {
  const { administrator, capabilities, step } = session;
  const ownOf = (pending: readonly PendingChange[]) => pending.filter(({ owner }) => owner === administrator);
  const isOfPlan = (change: PendingChange): boolean => {
    const path = pendingPath(change);
    return path !== undefined && plan.operations.some(({ operation: { at } }) => path.contains(at) || at.contains(path));
  };
  const own = ownOf(session.hasLostReply ? await pendingNow(session) : standing.live.pending);
  if (own.length === 0) return false;
  if (!own.every(isOfPlan)) return tellUncommitted(session, own, "somebody may work under it");
  if (!capabilities.partialRevert) return tellUncommitted(session, own, "a request of ours whose reply was lost came after the commit");
  // Where our commit took our lock along, this may be what another run of ours is writing by now.
  try {
    await lockUnlessHeld(session, plan.digest, standing.live.subtrees);
  } catch (error) {
    if (!(error instanceof PlumblineError) || error.severity !== "refused") throw error;
    return tellUncommitted(session, own, error.message);
  }
  const left = ownOf(await pendingNow(session));
  if (left.length === 0) return true;
  if (!left.every(isOfPlan)) return tellUncommitted(session, left, "somebody may work under it");
  say(session, "a request of ours came after the commit, taking away what it left");
  await step("revert-leftovers", () => revertListed(session, left));
  return true;
}

/**
 * Giving the lock back takes a while where that gets no reply either: what has come since we looked last is told. Without the lock it
 * may be another run's by now, and is left alone.
 */
export async function tellLateRequests(session: ApplySession): Promise<void> {
  const { administrator, hasLostReply, warnings } = session;
  if (!hasLostReply) return;
  try {
    const own = (await pendingNow(session)).filter(({ owner }) => owner === administrator);
    if (own.length > 0) tellUncommitted(session, own, "a request of ours whose reply was lost may have come after the commit");
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    warnings.push(`whether our own account ${administrator} has uncommitted changes again could not be asked at the end: ${why}`);
  }
}

function tellUncommitted({ administrator, warnings }: ApplySession, own: readonly PendingChange[], what: string): false {
  warnings.push(`our own account ${administrator} has ${own.length} uncommitted changes again (${own[0]?.xpath}): ${what}`);
  return false;
}
