import { PlumblineError } from "../../core/errors.js";
import type { WriteLease } from "../../core/write-lease.js";
import { REQUEST_TIMEOUT_SECONDS } from "../../desired/configuration/target-context.js";
import type { Applied } from "../../outcome/outcome.js";
import type { Fence } from "../fence.js";
import { LeasePlace } from "../lease/lease-place.js";
import { RunLease } from "../lease/run-lease.js";
import { UnchangedSince } from "../lease/unchanged-since.js";
import type { LedgerState } from "../ledger/ledger.js";
import { newerLedger } from "../ledger/newer-format.js";
import { mayCommitBlindly } from "../pass/blind-commit.js";
import type { TargetContext } from "../pass/context.js";
import type { WriteOptions } from "../pass/options.js";
import { type Planned, stopsTarget } from "../pass/planner.js";
import type { OutcomeDraft } from "../pass/run-targets.js";
import { locksOn } from "../pending-and-locks.js";
import type { WriteTarget } from "../write-target.js";
import { type ApplySession, hasWork, type LockSession, type SessionFacts, takeoverAfter } from "./apply-session.js";
import { heldTogether, keepingFence, leaseFence, unshared } from "./fences.js";
import { Journal } from "./journal.js";
import { hasLeftovers } from "./leftovers.js";
import { isLeftover } from "./lock.js";
import { newRun, type Run } from "./lock-mark.js";
import { recordAfter, recordSnapshots } from "./record.js";
import { forgetsAnnounced, isAnotherLedger } from "./reread-ledger.js";
import { mayWrite, removeLeftSnapshots } from "./snapshots.js";
import { stepper } from "./steps.js";
import { Undo } from "./undo.js";

/** Creates the session of a run that has done nothing yet. */
export function newSession(
  target: WriteTarget,
  context: TargetContext,
  write: WriteOptions,
  draft: OutcomeDraft,
  facts: SessionFacts,
  ledger: LedgerState,
): ApplySession {
  const run = newRun(context.options.machine);
  const lease = facts.capabilities.locks ? undefined : leaseOf(context, write, run);
  const writer = target.writer.behind(fenceOf(write.lease, lease, () => keepLock(session)));
  const step = stepper(write.observer);
  const session: ApplySession = {
    target,
    writer,
    locks: facts.capabilities.locks ? writer.locks : undefined,
    context,
    write,
    facts,
    run,
    step: lease === undefined ? step : (name, work) => step(name, () => lease.keep().then(work)),
    journal: new Journal(context.options.stores.stateFolder, context.owner, context.name),
    warnings: draft.warnings,
    lease,
    ledger: {
      current: ledger,
      bringsCommit: false,
      touched: new Map(),
      cutOff: new Set(),
      unmarked: new Set(),
      unanswered: new Map(),
      writtenSecrets: new Set(),
      uncountedDeletes: 0,
      removedSnapshots: new Set(),
    },
    progress: {
      operations: 0,
      requests: 0,
      commits: 0,
      isComplete: false,
      undo: Undo.nothing,
      hasLostReply: false,
      mayBeDisturbed: write.lease?.tookOver === true,
      lockMustStay: false,
      judged: undefined,
      changedBefore: [],
      watchReport: undefined,
    },
  };
  return session;
}

/** Returns the fence for writes. An agent needs the lease of its visit, and a target without locks needs the lease of this run. */
function fenceOf(visit: WriteLease | undefined, lease: RunLease | undefined, onLoss: () => void): Fence {
  if (lease !== undefined) return keepingFence(lease, leaseFence(heldTogether(visit, lease), onLoss));
  return visit === undefined ? unshared : leaseFence(visit, onLoss);
}

function leaseOf(context: TargetContext, { takeover, lockTimeout, sleep }: WriteOptions, run: Run): RunLease {
  const {
    owner,
    name,
    configuration,
    options,
    records: { leases },
  } = context;
  return new RunLease({
    place: new LeasePlace(leases, owner),
    seen: new UnchangedSince(options.stores.stateFolder, options.machine),
    target: name,
    run,
    machine: options.machine,
    takeoverAfter: takeoverAfter(context),
    request: (configuration.timeout ?? REQUEST_TIMEOUT_SECONDS) * 1000,
    takeover,
    lockTimeout,
    sleep,
  });
}

/** The lock and the changes in the candidate are left to the run that takes over. */
function keepLock(session: Pick<ApplySession, "progress">): void {
  session.progress.lockMustStay = true;
}

/** Returns true if there is work, or a refusal that blocks the target. */
function isDue(planned: Planned): boolean {
  return hasWork(planned) || planned.plan.refusals.some(stopsTarget);
}

/**
 * Returns true if the run must apply: there is work, a commit may be due that cannot be seen, or a killed Plumbline run left a lock,
 * uncommitted changes, or announced rows whose objects may not exist.
 * @throws PlumblineError `ledger-unreadable`, `ledger-newer` (refused): a write would lose the record of owned objects.
 */
export async function needsApply(session: LockSession & Pick<ApplySession, "ledger">, planned: Planned): Promise<boolean> {
  const {
    target,
    context,
    write,
    facts: { capabilities, administrator },
  } = session;
  if (isDue(planned) || mayCommitBlindly(capabilities, context)) {
    const { current } = session.ledger;
    if (current.state !== "unreadable") return true;
    if (current.isNewer !== true && current.lastKnown !== undefined && isHeal(planned)) return true;
    if (current.isNewer === true) throw newerLedger(target.name, current.reason);
    throw new PlumblineError("ledger-unreadable", `The ledger cannot be read: ${current.reason}`, {
      where: { target: target.name },
      next: "Make it readable, or write a new one with `plumbline adopt`: objects that only the old one lists are then never deleted.",
      severity: "refused",
    });
  }
  const isUnsettled = forgetsAnnounced(session, planned);
  if (session.locks === undefined) return isUnsettled && (await mayWrite(session));
  if (await hasLeftovers(session, planned.live.pending)) return true;
  const {
    machine,
    stores: { stateFolder },
  } = context.options;
  const seen = new UnchangedSince(stateFolder, machine);
  const judge = { target, machine, seen, takeoverAfter: takeoverAfter(context), lease: write.lease };
  // Our mark is only in config locks. Other locks matter only if announced rows are to be removed.
  const locks = await locksOn(target, isUnsettled ? undefined : "config");
  for (const lock of locks) if (await isLeftover(lock, context.owner, administrator, judge)) return true;
  return isUnsettled && locks.length === 0 && (await mayWrite(session));
}

/**
 * Returns true if the plan has no deletions and no refusals. A run that knows an earlier ledger may carry out such a plan while the ledger
 * cannot be read. If the plan needs new ledger rows, the ledger write fails before the first change.
 */
function isHeal({ plan }: Planned): boolean {
  return plan.refusals.length === 0 && plan.changes.every(({ kind }) => kind !== "extra");
}

/**
 * Records declared objects that already exist as owned, when there is no work. A failure is only a warning, because the pass did not write
 * to the target. The run has no lock, so it does not overwrite rows that another run announced, and it does not write if the ledger has
 * changed since the plan.
 * @throws PlumblineError `device-twice` (refused)
 */
export async function recordInSync(session: ApplySession, planned: Planned): Promise<Applied> {
  try {
    const { current } = session.ledger;
    await removeLeftSnapshots(session);
    if (isAnotherLedger(session.ledger.current, current) || forgetsAnnounced(session, planned)) await recordSnapshots(session);
    else if (session.ledger.current.state !== "unreadable") await recordAfter(session, planned);
  } catch (error) {
    if (error instanceof PlumblineError && error.code === "device-twice") throw error;
    session.warnings.push(error instanceof Error ? error.message : String(error));
  }
  return { operations: 0, requests: 0, commit: "none", job: undefined, lines: [], proven: true };
}
