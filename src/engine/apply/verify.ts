import { PlumblineError } from "../../core/errors.js";
import type { Operation } from "../../core/operation.js";
import type { TreeNode } from "../../core/tree/node.js";
import { pendingPath } from "../../plan/pending-path.js";
import type { Identity, PendingChange } from "../../plan/platform.js";
import { rulebaseOf } from "../../plan/rulebase.js";
import { FOREIGN_PENDING, takesAllAlong } from "../pass/blind-commit.js";
import { type ApplySession, foreignText, pendingNow, planAgain } from "./apply-session.js";
import { holdsLock } from "./lock.js";
import { refusePaused } from "./refuse-paused.js";
import { touchedBy, type Unit } from "./touched.js";
import { differingUnit } from "./units.js";

/** Milliseconds that a peer is given to take over what was committed. */
const SYNC_WAIT = 60_000;
const SYNC_POLL = 2000;

/** @throws PlumblineError `not-active` unless the box is alone or the active one of its pair. */
function refusePassiveBox(identity: Identity, target: string): void {
  if (identity.role === "standalone" || identity.role === "active") return;
  throw new PlumblineError("not-active", `The role of ${identity.serial ?? "the box"} is ${identity.role}`, {
    where: { target },
    next: "Name both peers of the pair (`url` and `peers`), and see that one of them is active.",
    severity: "refused",
  });
}

/** What is about to be sent. */
export type Sending = "write" | "commit";

/**
 * Before the first write and before the commit: still the same active box, and still our lock.
 * @throws PlumblineError `failover`, `not-active`, `lock-lost`
 */
export async function verifyStanding(session: ApplySession, sending: Sending): Promise<void> {
  await Promise.all([verifyBox(session, sending), verifyLock(session)]);
}

/** Right after our lock was taken: which box has it, where that alone is enough to know that it is the one of the plan for as long as we hold it. */
export async function verifyLockedBox(session: ApplySession): Promise<void> {
  if (!isAlone(session)) return;
  await verifyBox(session, "write");
  session.isBoxKnown = true;
}

/** The same before the first write, where it is not known by our lock. */
export async function verifyUnknownBox(session: ApplySession): Promise<void> {
  if (!session.isBoxKnown) await verifyBox(session, "write");
}

/** Right before the first write: our lock, and, where a batch may set back what our account has uncommitted, what is. */
export async function verifyLockWithPending(session: ApplySession): Promise<readonly PendingChange[] | undefined> {
  const { atomicBatch, changeList } = session.capabilities;
  const [pending] = await Promise.all([atomicBatch && changeList ? pendingNow(session) : undefined, verifyLock(session)]);
  return pending;
}

/**
 * Before each job of a push by a pair: still the same active box, since the other one has versions of its own.
 * @throws PlumblineError `failover`, `not-active`
 */
export async function verifyActiveBox(session: ApplySession): Promise<void> {
  if (session.identity.role !== "standalone") await verifyBox(session, "write");
}

async function verifyBox(session: ApplySession, sending: Sending): Promise<void> {
  const { target } = session;
  const identity = await whoAnswers(session, sending);
  refusePassiveBox(identity, target.name);
  if (identity.serial !== session.identity.serial) {
    throw new PlumblineError(
      "failover",
      `${identity.serial ?? "Another box"} answers now, ${session.identity.serial ?? "another"} did before`,
      {
        where: { target: target.name },
        next: "Run again: the plan is then made for the box that is active now.",
      },
    );
  }
}

async function verifyLock(session: ApplySession): Promise<void> {
  if (await holdsOurLock(session)) return;
  throw new PlumblineError("lock-lost", "Our configuration lock is gone", {
    where: { target: session.target.name },
    next: "Find out who removed it, then run again.",
  });
}

/**
 * Who answers now, as far as it can be another. A box without a peer cannot fail over: before a write it is asked which one it is, and
 * before the commit whether somebody has made a pair of it since. That this is the box which was written to, our own lock says: no other has it.
 */
async function whoAnswers(session: ApplySession, sending: Sending): Promise<Identity> {
  const { target, identity } = session;
  const { who } = target;
  if (who === undefined || !isAlone(session)) return (await target.open()).identity;
  return sending === "write" ? { ...identity, serial: await who.serial() } : { ...identity, role: await who.role() };
}

function isAlone({ target, identity, locks }: ApplySession): boolean {
  return target.who !== undefined && locks !== undefined && identity.role === "standalone";
}

/** Whether our lock stands; of a target without locks it does. */
export async function holdsOurLock({ target, locks, run }: ApplySession): Promise<boolean> {
  return locks === undefined || (await holdsLock(target, run));
}

/**
 * The same, together with what is pending, where that is listed: what is asked before a commit is asked in one step, so that
 * nothing of it is older than the rest.
 *
 * @internal Exported for its test.
 */
export async function verifyWithPending(session: ApplySession): Promise<readonly PendingChange[] | undefined> {
  const listed = takesAllAlong(session.capabilities) ? undefined : pendingNow(session);
  const [pending] = await Promise.all([listed, verifyStanding(session, "commit")]);
  return pending;
}

/** All that decides right before a commit, asked in one step: the same, pauses, and what others committed where we wrote (`refuseCommittedMeanwhile`). */
export async function lookBeforeCommit(
  session: ApplySession,
  operations: readonly Operation[],
  before: TreeNode | undefined,
): Promise<readonly PendingChange[] | undefined> {
  const [pending] = await Promise.all([
    verifyWithPending(session),
    refusePaused(session),
    refuseCommittedMeanwhile(session, operations, before),
  ]);
  return pending;
}

/**
 * After the commit was read back: the box that has it is the active one still. Waits a while until its peer has it, too; a peer
 * that does not is told of.
 * @throws PlumblineError `failover` when another box may be the active one by now: nobody has seen that it has the commit.
 */
export async function verifyActive(session: ApplySession): Promise<void> {
  const { target, identity: ours, write, warnings } = session;
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

function failedOver({ target, identity: ours }: ApplySession, now: Identity): PlumblineError {
  const who =
    now.serial === ours.serial
      ? `${ours.serial ?? "The box"} took the commit and is ${now.role} now`
      : `${now.serial ?? "Another box"} answers now`;
  return new PlumblineError("failover", `${who}: whether the active box has the commit is not known`, {
    where: { target: target.name },
    next: "Run again: the plan is then made for the box that is active now.",
  });
}

/**
 * Others may begin their work elsewhere: a commit of our administrator alone leaves it to them. `pending` is what is listed now;
 * undefined where only comparing tells.
 * @throws PlumblineError `foreign-change` (refused) when others have new uncommitted work that our commit could carry.
 */
export async function refuseNewForeignChanges(session: ApplySession, pending: readonly PendingChange[] | undefined): Promise<void> {
  const { administrator, capabilities, undo } = session;
  if (pending === undefined) return await refuseNewlySeen(session);
  const foreign = pending.filter(({ owner }) => owner !== administrator);
  if (foreignText(foreign, administrator) === undo.foreign) return;
  const before = new Set(undo.foreign.split("\n"));
  const near = foreign.find((change) => !before.has(foreignText([change], administrator)) && isNear(change, undo.sent));
  if (capabilities.partialCommit && near === undefined) return;
  const whose = near === undefined ? "Somebody else" : `"${near.owner}"`;
  throw new PlumblineError("foreign-change", `${whose} began to change the target while we were writing`, {
    where: { target: session.target.name, xpath: near?.xpath },
    next: "Run again when they have committed or reverted their work.",
    severity: "refused",
  });
}

/** Whether no lock keeps others from committing, and what runs can be read. */
export function mayBeCommittedMeanwhile({ locks, capabilities }: ApplySession): boolean {
  return locks === undefined && capabilities.candidate && capabilities.runningUnreadable !== true;
}

/**
 * Where no lock keeps others out: what we wrote at is running as it was in `before`, or as we wrote it, where a commit of
 * everything took that along. What somebody committed since would be written over unseen.
 * @throws PlumblineError `foreign-change` (refused)
 */
async function refuseCommittedMeanwhile(
  session: ApplySession,
  operations: readonly Operation[],
  before: TreeNode | undefined,
): Promise<void> {
  const { target, context } = session;
  if (before === undefined || !mayBeCommittedMeanwhile(session)) return;
  const { reads, units } = touchedBy(operations);
  if (reads.length === 0) return;
  const [candidate, running] = await Promise.all([target.read(reads, "candidate"), target.read(reads, "running")]);
  const differs = (tree: TreeNode, unit: Unit) => differingUnit(tree, running, [unit], target.shape) !== undefined;
  const path = units.find((unit) => differs(before, unit) && differs(candidate, unit))?.path;
  if (path === undefined) return;
  throw new PlumblineError("foreign-change", `Somebody committed a change of what we were writing: ${path}`, {
    where: { target: context.name, xpath: path.toString() },
    next: "Run again: the plan is then made from what is there now.",
    severity: "refused",
  });
}

/** Where only comparing tells, everything is compared once more: what we wrote is as planned, the rest as it is running. */
async function refuseNewlySeen(session: ApplySession): Promise<void> {
  const { plan } = await planAgain(session);
  const theirs = plan.refusals.find(({ guard }) => guard === FOREIGN_PENDING);
  if (theirs === undefined) return;
  throw new PlumblineError("foreign-change", `Somebody began to change the target while we were writing: ${theirs.message}`, {
    where: { target: session.target.name, xpath: theirs.path?.toString() },
    next: `Run again when they have committed or reverted their work; ${theirs.allow} lets it pass once.`,
    severity: "refused",
  });
}

/** A change to what we wrote, to what it stands in, or to its rulebase; one of which nobody knows where it is, is near. */
function isNear(change: PendingChange, written: readonly Operation[]): boolean {
  const changed = pendingPath(change);
  if (changed === undefined) return true;
  return written.some(({ at }) => {
    const place = rulebaseOf(at) ?? at;
    return place.contains(changed) || changed.contains(place);
  });
}
