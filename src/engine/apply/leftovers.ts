import { PlumblineError } from "../../core/errors.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import { pendingPath } from "../../plan/pending-path.js";
import type { PendingChange } from "../../plan/platform.js";
import type { SettledJob } from "../write-target.js";
import { type ApplySession, jobProgress, pendingNow, settledJobs, type TargetSession } from "./apply-session.js";
import { differingUnit } from "./differing-node.js";
import { refusePaused } from "./refuse-paused.js";
import { revertListed } from "./revert-own.js";
import { verifyDevice } from "./verify.js";

/** The description of each of our jobs starts with this prefix. */
export const JOB_PREFIX = "plumbline ";

/** State that earlier runs left on the target. */
export interface Leftovers {
  /** Our jobs. All have ended. */
  readonly jobs: readonly SettledJob[];
  /** Pending changes of all administrators, listed after our jobs ended. */
  readonly pending: readonly PendingChange[];
}

/** Waits under our lock for the jobs of earlier runs, which can still change the target, and then lists the pending changes. */
export async function readLeftovers(session: ApplySession): Promise<Leftovers> {
  await session.step("verify-identity", () => verifyDevice(session));
  return await session.step("settle-jobs", async () => {
    const jobs = await settledJobs(session, JOB_PREFIX, jobProgress(session, "waiting for a commit of an earlier run"));
    return { jobs, pending: await pendingNow(session) };
  });
}

/**
 * Reverts uncommitted changes that a killed Plumbline run left, once none of its jobs runs.
 * @returns True if the target may have changed, so that the run must plan again.
 * @throws PlumblineError `own-pending` (refused) if our account has uncommitted changes and there is no sign that a Plumbline run left
 * them.
 */
export async function revertLeftovers(session: ApplySession, tookOver: boolean, { jobs, pending }: Leftovers): Promise<boolean> {
  const {
    target,
    step,
    facts: { capabilities, administrator },
  } = session;
  const last = jobs.reduce<(typeof jobs)[number] | undefined>(
    (a, b) => (a !== undefined && Number(a.job) > Number(b.job) ? a : b),
    undefined,
  );
  const own = pending.filter((change) => change.owner === administrator);
  if (own.length === 0) return tookOver;
  const isKnownOwn = tookOver || session.progress.mayBeDisturbed || session.write.takeover;
  const ours = isKnownOwn || last?.ok === false || (await session.journal.unfinished()) !== undefined;
  if (!ours && session.locks !== undefined && !(await isNothing(session, own))) {
    throw new PlumblineError(
      "own-pending",
      `The account ${own[0]?.owner} has uncommitted changes (${own.length}): a person's work, or a late request of an earlier run`,
      {
        where: { target: target.name, xpath: own[0]?.xpath },
        next: "Commit or revert them on the device, or pass --takeover to revert them.",
        severity: "refused",
      },
    );
  }
  if (!capabilities.partialRevert) return true;
  await refusePaused(session);
  await step("revert-leftovers", () => revertListed(session, own));
  return true;
}

/**
 * Returns true if our account has uncommitted changes that any commit would carry. A late request can cause them after its run has ended.
 */
export async function hasLeftovers(session: TargetSession, pending: readonly PendingChange[]): Promise<boolean> {
  const own = pending.filter(({ owner }) => owner === session.facts.administrator);
  return own.length > 0 && !(await isNothing(session, own));
}

/** Returns true if the pending changes cancel out. Changes that were reverted by inverse operations stay in the list of changes. */
async function isNothing(session: Pick<ApplySession, "target">, changes: readonly PendingChange[]): Promise<boolean> {
  return await comesTo(session, changes, [], (running) => running);
}

/**
 * Returns true if the pending changes turn the running configuration into the same result as `wanted` does.
 * @param reads Further paths that the comparison needs.
 */
export async function comesTo(
  { target }: Pick<ApplySession, "target">,
  changes: readonly PendingChange[],
  reads: readonly Path[],
  wanted: (running: TreeNode) => TreeNode,
): Promise<boolean> {
  const paths = changes.flatMap((change) => pendingPath(change) ?? []);
  if (paths.length < changes.length) return false;
  const all = [...reads, ...paths];
  const [candidate, running] = await Promise.all([target.read(all, "candidate"), target.read(all, "running")]);
  const units = paths.map((path) => ({ path, what: "node" as const }));
  return differingUnit(candidate, wanted(running), units, target.shape) === undefined;
}
