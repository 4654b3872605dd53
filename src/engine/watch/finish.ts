import { PlumblineError } from "../../core/errors.js";
import { parsePath } from "../../core/tree/xpath/xpath.js";
import { type ApplySession, jobProgress, type LedgerSession, ourAccounts, reportProgress, settledJobs } from "../apply/apply-session.js";
import { JOB_PREFIX, readLeftovers, revertLeftovers } from "../apply/leftovers.js";
import { parseRun } from "../apply/lock-mark.js";
import { decideWithFirewalls, isJudgedByPush } from "../apply/push-watched.js";
import { recordReverted, recordWatch } from "../apply/record-watch.js";
import { rereadLedger } from "../apply/reread-ledger.js";
import { takeLock } from "../apply/take-lock.js";
import { boundedMap } from "../bounded-map.js";
import { recordOf } from "../pass/planner.js";
import type { OutcomeDraft } from "../pass/run-targets.js";
import { committedAt } from "./decide.js";
import type { OpenWatch } from "./open-watch.js";
import { stillThere } from "./revert-commit.js";
import { anyChangeIsRunning } from "./standing.js";

/**
 * Decides on the commit of an aborted run before anything else is done. Continues the watch if its window is open, and rolls the commit
 * back if that was decided or a check fails. Removes a commit that never happened from the ledger.
 * Runs under this owner's lock. Resolves to whether there was a commit to decide on; then the caller must release the lock.
 * @throws PlumblineError `watch-open` (refused) if the run that began it is alive on this machine; the errors of `decide`.
 */
export async function finishWatch(session: ApplySession, draft: OutcomeDraft): Promise<boolean> {
  const seen = recordOf(session.ledger.current)?.watch;
  if (seen === undefined) return false;
  refuseLiving(session, seen);
  reportProgress(session, "deciding on the commit of a run before");
  // A run on another machine that holds the lock may be sending the commit now.
  const { tookOver } = await takeLock(session, seen.digest, []);
  if (tookOver) session.progress.mayBeDisturbed = true;
  await session.step("settle-jobs", () => settledJobs(session, JOB_PREFIX, jobProgress(session, "waiting for a commit of an earlier run")));
  await rereadLedger(session);
  const open = recordOf(session.ledger.current)?.watch;
  if (open?.run === seen.run) await finish(session, open, tookOver, draft);
  return true;
}

async function finish(session: ApplySession, open: OpenWatch, tookOver: boolean, draft: OutcomeDraft): Promise<void> {
  if (open.tripped === undefined && !(await anyChangeIsRunning(session, open))) {
    // Without partial revert, its writes are still in the candidate: the next commit includes them and their rows.
    if (!session.facts.capabilities.partialRevert) return;
    // The commit request may still arrive. Its changes are reverted first.
    await revertLeftovers(session, tookOver, await readLeftovers(session));
    if (!(await anyChangeIsRunning(session, open))) return await session.step("watch-end", () => forgetAll(session, open));
  }
  try {
    const since = await committedAt(session);
    if (since !== undefined) await session.step("ledger-after", () => recordWatch(session, { ...open, since }));
    // Firewalls may not have the commit yet. The checks run after the push.
    if (open.tripped !== undefined || !isJudgedByPush(session)) await decideWithFirewalls(session, draft);
  } catch (error) {
    // The run that sent the commit may be alive on another machine, which cannot be detected.
    if (!(error instanceof PlumblineError) || error.code !== "watch-decided") throw error;
    await rereadLedger(session);
  }
}

/**
 * Removes the commit from the ledger. Its objects exist only if another administrator's commit included this owner's changes. They stay
 * managed unless another administrator changed them last.
 */
async function forgetAll(session: LedgerSession, open: OpenWatch): Promise<void> {
  const { target } = session;
  const accounts = ourAccounts(session);
  const there = [...(await stillThere(session, open))];
  const kept = await boundedMap(there, async ([path, node]) => {
    const by = await target.attribution(parsePath(path), node);
    return by === undefined || accounts.has(by.admin) ? [path] : [];
  });
  await recordReverted(session, open, new Set(kept.flat()), undefined);
}

function refuseLiving(session: Pick<ApplySession, "context" | "target" | "write">, open: OpenWatch): void {
  const { machine } = session.context.options;
  const run = parseRun(open.run);
  const lives = run !== undefined && run.host === machine.host && run.pid !== machine.pid && machine.isAlive(run.pid);
  if (!lives || session.write.takeover) return;
  throw new PlumblineError("watch-open", `Another run (${open.run}) is watching its commit`, {
    where: { target: session.target.name },
    next: "Wait for it; --takeover decides now, in its place.",
    severity: "refused",
  });
}
