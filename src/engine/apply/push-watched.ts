import { PlumblineError } from "../../core/errors.js";
import { TreeNode } from "../../core/tree/node.js";
import type { Reached } from "../absences.js";
import { recordOf } from "../pass/planner.js";
import { isDue } from "../pass/push-order.js";
import type { OutcomeDraft } from "../pass/run-targets.js";
import type { BeforePush } from "../pass/unpushed.js";
import { conclude, seenOf } from "../watch/decide.js";
import type { Observation } from "../watch/observe.js";
import type { OpenWatch } from "../watch/open-watch.js";
import { readsOf, reopened } from "../watch/rows.js";
import type { ApplySession } from "./apply-session.js";
import { cleanUpAfterFailure } from "./clean-up-after-failure.js";
import { formatRun } from "./lock-mark.js";
import { pushOut } from "./push.js";
import { rereadLedger } from "./reread-ledger.js";
import { forgetSnapshots } from "./snapshots.js";
import { giveLock, lockUnlessHeld } from "./take-lock.js";

/** Returns true if the checks judge the effect of a push. The decision on a commit then waits for its firewalls. */
export function isJudgedByPush({ context, target, writer }: Pick<ApplySession, "context" | "target" | "writer">): boolean {
  return context.configuration.push !== undefined && target.managed !== undefined && writer.pushes !== undefined;
}

/**
 * Pushes, and runs the checks of the open commit after each wave (docs/manager.md#automatic-rollback). If a check fails, the remaining
 * waves stop, the commit is rolled back on the manager, and the rollback is pushed to the firewalls that have the commit. The decision
 * stays open while firewalls wait for a canary, or if a firewall failed and the checks pass. Holds our lock throughout.
 * @throws PlumblineError those of `pushOut` and of `decide`
 */
export async function pushAndDecide(
  session: ApplySession,
  live: Reached,
  { before, runningBefore }: { readonly before: BeforePush | undefined; readonly runningBefore: TreeNode | undefined },
  draft: OutcomeDraft,
): Promise<void> {
  const known = openWatchOf(session);
  if (known === undefined || !isJudgedByPush(session)) return await pushOut(session, live, before, draft);
  await underLock(session, known, async () => {
    const open = openWatchOf(session);
    if (open === undefined) return await pushOut(session, live, before, draft);
    const seen = await pushChecked(session, open, { live, before, draft });
    if (seen === undefined) return;
    await conclude(session, open, seen, { runningBefore, beyond: () => pushBack(session, open, draft) });
    await forgetSnapshots(session);
  });
}

/**
 * Decides now on a commit that was not pushed to all its firewalls, because the documents have changed since. Returns true if there was
 * one.
 */
export async function judgeOpen(session: ApplySession, draft: OutcomeDraft): Promise<boolean> {
  const open = openWatchOf(session);
  if (open === undefined) return false;
  await underLock(session, open, () => decideWithFirewalls(session, draft));
  return true;
}

/** Runs `decide`, with the firewalls that have the commit. */
export async function decideWithFirewalls(session: ApplySession, draft: OutcomeDraft): Promise<void> {
  const open = openWatchOf(session);
  if (open === undefined) return;
  const beyond = isJudgedByPush(session) ? () => pushBack(session, open, draft) : undefined;
  await conclude(session, open, await seenOf(session, open), { runningBefore: undefined, beyond });
}

function openWatchOf({ ledger }: Pick<ApplySession, "ledger">): OpenWatch | undefined {
  return recordOf(ledger.current)?.watch;
}

/** Returns undefined if the decision must wait. */
async function pushChecked(
  session: ApplySession,
  open: OpenWatch,
  { live, before, draft }: { readonly live: Reached; readonly before: BeforePush | undefined; readonly draft: OutcomeDraft },
): Promise<Observation | undefined> {
  let seen: Observation | undefined;
  const check = async (since: string | undefined) => {
    seen = await seenOf(session, open, since);
    return seen.tripped === undefined;
  };
  // A run that was killed before its checks may have pushed the commit.
  if (open.run !== formatRun(session.run) && !(await check(undefined))) return seen;
  try {
    await pushOut(session, live, before, draft, { check });
  } catch (error) {
    const mayHave = draft.pushed?.some(({ result }) => result === "ok" || result === "unknown") === true;
    if (!(error instanceof PlumblineError) || !mayHave || (await check(undefined))) throw error;
    session.warnings.push(`the push ended before: ${error.message}`);
  }
  if (seen === undefined) await check(undefined);
  const isHeld = seen?.tripped === undefined && draft.firewalls?.rows.some(isDue) === true;
  return isHeld ? undefined : seen;
}

/** Pushes the rollback to the firewalls that have the commit. */
async function pushBack(session: ApplySession, open: OpenWatch, draft: OutcomeDraft): Promise<void> {
  const paths = readsOf(reopened(open.written));
  await pushOut(session, { subtrees: paths, candidate: new TreeNode("config") }, undefined, draft, { back: open });
}

/** Locks only the paths that the commit changed, until the decision. Other administrators can use the rest of the manager. */
async function underLock(session: ApplySession, { digest, written }: OpenWatch, work: () => Promise<void>): Promise<void> {
  await lockUnlessHeld(session, digest, readsOf(reopened(written)));
  try {
    await rereadLedger(session);
    await work();
  } catch (error) {
    throw await cleanUpAfterFailure(session, error);
  }
  await giveLock(session);
}
