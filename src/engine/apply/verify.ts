import { PlumblineError } from "../../core/errors.js";
import type { Operation } from "../../core/operation.js";
import type { TreeNode } from "../../core/tree/node.js";
import { FOREIGN_PENDING } from "../../guards/foreign-pending.js";
import { pendingPath } from "../../plan/pending-path.js";
import type { Identity, PendingChange } from "../../plan/platform.js";
import { rulebaseOf } from "../../plan/rulebase.js";
import { commitsUnknownChanges } from "../pass/blind-commit.js";
import {
  type ApplySession,
  type LedgerSession,
  type LockSession,
  othersText,
  pendingNow,
  replan,
  type TargetSession,
} from "./apply-session.js";
import { touchedBy, type Unit } from "./changed-nodes.js";
import { differingUnit } from "./differing-node.js";
import { holdsLock } from "./lock.js";
import { refusePaused } from "./refuse-paused.js";

/** Milliseconds that a peer gets to synchronize the commit. */
const SYNC_WAIT = 60_000;
const SYNC_POLL = 2000;

/** @throws PlumblineError `not-active` unless the device is standalone or the active one of its pair. */
function refusePassiveBox(identity: Identity, target: string): void {
  if (identity.role === "standalone" || identity.role === "active") return;
  throw new PlumblineError("not-active", `The role of ${identity.serial ?? "the box"} is ${identity.role}`, {
    where: { target },
    next: "Name both peers of the pair (`url` and `peers`), and see that one of them is active.",
    severity: "refused",
  });
}

export type Sending = "write" | "commit";

/**
 * Checks before the first write and before the commit that the device is still the same active one and that we still hold our lock.
 * @throws PlumblineError `failover`, `not-active`, `lock-lost`
 */
export async function verifyActiveAndLocked(session: LockSession, sending: Sending): Promise<void> {
  await Promise.all([verifyBox(session, sending), verifyLock(session)]);
}

/**
 * Checks that the device of the plan still answers and is not passive.
 * @throws PlumblineError `failover`, `not-active`
 */
export async function verifyDevice(session: LockSession): Promise<void> {
  await verifyBox(session, "write");
}

/** Checks our lock right before the first write. Also lists pending changes if a batch could revert uncommitted changes of our account. */
export async function verifyLockWithPending(session: LockSession): Promise<readonly PendingChange[] | undefined> {
  const { atomicBatch, changeList } = session.facts.capabilities;
  const [pending] = await Promise.all([atomicBatch && changeList ? pendingNow(session) : undefined, verifyLock(session)]);
  return pending;
}

/**
 * Checks before each push job of a pair that the same device is still active. The passive device has its own version numbers.
 * @throws PlumblineError `failover`, `not-active`
 */
export async function verifyActiveBox(session: LockSession): Promise<void> {
  if (session.facts.identity.role !== "standalone") await verifyBox(session, "write");
}

async function verifyBox(session: LockSession, sending: Sending): Promise<void> {
  const { target } = session;
  const identity = await whoAnswers(session, sending);
  refusePassiveBox(identity, target.name);
  if (identity.serial !== session.facts.identity.serial) {
    throw new PlumblineError(
      "failover",
      `${identity.serial ?? "Another box"} answers now, ${session.facts.identity.serial ?? "another"} did before`,
      {
        where: { target: target.name },
        next: "Run again: the new plan is for the active device.",
      },
    );
  }
}

async function verifyLock(session: LockSession): Promise<void> {
  const { target, locks, run } = session;
  if (locks === undefined || (await holdsLock(target, run))) return;
  throw new PlumblineError("lock-lost", "The configuration lock was lost", {
    where: { target: session.target.name },
    next: "Find out who removed it, then run again.",
  });
}

/**
 * Returns the identity of the device that replies now. A device without a peer cannot fail over, so only one value is read: the serial
 * number before a write, and the role before a commit, in case it has joined a pair since. Our lock proves that the run wrote to this
 * device, because no other device has the lock.
 */
async function whoAnswers(session: LockSession, sending: Sending): Promise<Identity> {
  const {
    target,
    facts: { identity },
  } = session;
  const { who } = target;
  if (who === undefined || !isAlone(session)) return (await target.open()).identity;
  return sending === "write" ? { ...identity, serial: await who.serial() } : { ...identity, role: await who.role() };
}

function isAlone({ target, locks, facts: { identity } }: LockSession): boolean {
  return target.who !== undefined && locks !== undefined && identity.role === "standalone";
}

/**
 * Runs `verifyActiveAndLocked` and lists pending changes, if the platform lists them. Both run in one step, so that neither result is older than
 * the other.
 * @internal Exported for its test.
 */
export async function verifyWithPending(session: LockSession): Promise<readonly PendingChange[] | undefined> {
  const listed = commitsUnknownChanges(session.facts.capabilities) ? undefined : pendingNow(session);
  const [pending] = await Promise.all([listed, verifyActiveAndLocked(session, "commit")]);
  return pending;
}

/**
 * Runs all checks right before a commit in one step: `verifyWithPending`, pauses, and commits of other administrators at the places that we
 * wrote (`refuseCommittedMeanwhile`).
 */
export async function checkBeforeCommit(
  session: LockSession,
  operations: readonly Operation[],
  before: TreeNode | undefined,
): Promise<readonly PendingChange[] | undefined> {
  const [pending] = await Promise.all([
    verifyWithPending(session),
    refusePaused(session),
    refuseCommitOfOthers(session, operations, before),
  ]);
  return pending;
}

/**
 * Checks after the read-back that the device with the commit is still active. Waits up to a minute for its peer to synchronize, and warns
 * if the peer does not.
 * @throws PlumblineError `failover` if another device may be active: it may not have the commit.
 */
export async function verifyActive(session: TargetSession & Pick<ApplySession, "warnings" | "write">): Promise<void> {
  const {
    target,
    write,
    warnings,
    facts: { identity: ours },
  } = session;
  if (ours.role === "standalone") return;
  for (let waited = 0; ; waited += SYNC_POLL) {
    const { identity, isSynchronized } = await target.open();
    if (identity.role !== "active" || identity.serial !== ours.serial) throw failedOver(session, identity);
    if (isSynchronized !== false) return;
    if (waited >= SYNC_WAIT) break;
    await write.sleep(SYNC_POLL);
  }
  warnings.push(`${ours.serial ?? "the active box"} has the commit, and its peer does not have it yet: a failover now would lose it`);
}

function failedOver({ target, facts: { identity: ours } }: TargetSession, now: Identity): PlumblineError {
  const who =
    now.serial === ours.serial
      ? `${ours.serial ?? "The box"} took the commit and is ${now.role} now`
      : `${now.serial ?? "Another box"} answers now`;
  return new PlumblineError("failover", `${who}: whether the active box has the commit is not known`, {
    where: { target: target.name },
    next: "Run again: the new plan is for the active device.",
  });
}

/**
 * Refuses a commit that could carry new changes of other administrators. If the platform commits only our account's changes, their work
 * elsewhere is allowed.
 * @param pending Current list of pending changes. Undefined if the platform can only compare.
 * @throws PlumblineError `foreign-change` (refused)
 */
export async function refuseNewChangesOfOthers(session: LedgerSession, pending: readonly PendingChange[] | undefined): Promise<void> {
  const {
    facts: { administrator, capabilities },
    progress: { undo },
  } = session;
  if (pending === undefined) return await refuseNewlySeen(session);
  const ofOthers = pending.filter(({ owner }) => owner !== administrator);
  if (othersText(ofOthers, administrator) === undo.others) return;
  const before = new Set(undo.others.split("\n"));
  const near = ofOthers.find((change) => !before.has(othersText([change], administrator)) && isNear(change, undo.sent));
  if (capabilities.partialCommit && near === undefined) return;
  const whose = near === undefined ? "Somebody else" : `"${near.owner}"`;
  throw new PlumblineError("foreign-change", `${whose} started to change the target during the write`, {
    where: { target: session.target.name, xpath: near?.xpath },
    next: "Run again when they have committed or reverted their work.",
    severity: "refused",
  });
}

/** Returns true if no lock prevents commits of other administrators and the running configuration can be read. */
export function mayBeCommittedByOthers({ locks, facts: { capabilities } }: Pick<ApplySession, "facts" | "locks">): boolean {
  return locks === undefined && capabilities.candidate && capabilities.runningUnreadable !== true;
}

/**
 * Checks on a target without locks that the running configuration at our places equals `before`, or equals our changes if another commit
 * carried them. Otherwise our commit would overwrite another administrator's commit without notice.
 * @throws PlumblineError `foreign-change` (refused)
 */
async function refuseCommitOfOthers(session: LockSession, operations: readonly Operation[], before: TreeNode | undefined): Promise<void> {
  const { target, context } = session;
  if (before === undefined || !mayBeCommittedByOthers(session)) return;
  const { reads, units } = touchedBy(operations);
  if (reads.length === 0) return;
  const [candidate, running] = await Promise.all([target.read(reads, "candidate"), target.read(reads, "running")]);
  const differs = (tree: TreeNode, unit: Unit) => differingUnit(tree, running, [unit], target.shape) !== undefined;
  const path = units.find((unit) => differs(before, unit) && differs(candidate, unit))?.path;
  if (path === undefined) return;
  throw new PlumblineError("foreign-change", `Another administrator committed a change of a written path: ${path}`, {
    where: { target: context.name, xpath: path.toString() },
    next: "Run again: the new plan uses the current state.",
    severity: "refused",
  });
}

/**
 * Compares everything again on a platform without a list of changes: our changes must be as planned, and the rest must equal the running
 * configuration.
 */
async function refuseNewlySeen(session: LedgerSession): Promise<void> {
  const { plan } = await replan(session);
  const theirs = plan.refusals.find(({ guard }) => guard === FOREIGN_PENDING);
  if (theirs === undefined) return;
  throw new PlumblineError("foreign-change", `Another administrator started to change the target during the write: ${theirs.message}`, {
    where: { target: session.target.name, xpath: theirs.path?.toString() },
    next: `Run again when they have committed or reverted their work. To override once: ${theirs.allow}`,
    severity: "refused",
  });
}

/**
 * Returns true for a change to a node that we wrote, to its ancestors, or to its rulebase. A change with an unknown place counts as near.
 */
function isNear(change: PendingChange, written: readonly Operation[]): boolean {
  const changed = pendingPath(change);
  if (changed === undefined) return true;
  return written.some(({ at }) => {
    const place = rulebaseOf(at) ?? at;
    return place.contains(changed) || changed.contains(place);
  });
}
