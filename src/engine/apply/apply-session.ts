import { TAKEOVER_AFTER_SECONDS } from "../../desired/configuration/configuration.js";
import type { DriftItem, WatchReport } from "../../outcome/outcome.js";
import type { Capabilities, Identity, PendingChange } from "../../plan/platform.js";
import { type Device, deviceLabel } from "../device-identity.js";
import type { Fenced } from "../fence.js";
import type { RunLease } from "../lease/run-lease.js";
import type { LedgerState } from "../ledger/ledger.js";
import type { TargetContext } from "../pass/context.js";
import type { WriteOptions } from "../pass/options.js";
import { type Planned, readAndPlan, recordOf } from "../pass/planner.js";
import { pendingOn } from "../pending-and-locks.js";
import type { ReadTarget } from "../target.js";
import type { Locks, Progress, SettledJob, Writer } from "../write-target.js";
import type { Journal, JournalLine } from "./journal.js";
import { formatRun, type Run } from "./lock-mark.js";
import type { Step } from "./steps.js";
import type { Undo } from "./undo.js";

/** A change that the plan overwrites, with its last author before the first write. */
export interface ChangedBefore extends DriftItem {
  /** The evidence that another administrator made the change (`AsLeft.evidenceOf`). */
  readonly evidence: "content" | "author" | "none";
}

/** Facts about the target and the account that were read before the run. */
export interface SessionFacts {
  readonly identity: Identity;
  readonly device: Device;
  readonly capabilities: Capabilities;
  readonly administrator: string;
  readonly foreignLedgers: ReadonlyMap<string, string>;
}

/** The ledger of this run. Kept in one place, because after an error the next record must still contain all of it. */
interface RunLedger {
  /** As last read or written. */
  current: LedgerState;
  /** The ledger recorded another commit when this run began to write. The documents may have changed although the objects did not. */
  bringsCommit: boolean;
  /** Paths that the plans of this run change. True if an object existed there before. */
  readonly touched: Map<string, boolean>;
  /** Paths that an earlier run announced but never verified, because it was cut off while writing. */
  readonly cutOff: Set<string>;
  /** Paths of creates without a reply at whose places the last recorded plan found an object without an owner mark. */
  unmarked: ReadonlySet<string>;
  /** Possible effects of writes without a reply on platforms whose objects have no marks, by path (`LedgerRecord.unanswered`). */
  readonly unanswered: Map<string, string>;
  /** XPaths of secrets that were written and whose stored values are not recorded yet. */
  readonly writtenSecrets: Set<string>;
  /** Number of deletions that the record of the day does not contain yet. */
  uncountedDeletes: number;
  /** Names of saved configurations that no longer exist on the target. */
  readonly removedSnapshots: Set<string>;
}

/**
 * Effects and results of this run so far. Mutable, because they must survive an error: the cleanup restores the candidate and decides about
 * the lock with them, and the report contains them, at whichever step the run ends. All other values are in the states (`states.ts`).
 */
interface RunProgress {
  operations: number;
  requests: number;
  /** Number of commits that are in effect. */
  commits: number;
  /** The plan is committed completely. Only verification and recording can still fail. */
  isComplete: boolean;
  /** Restores changes that are written but not committed. */
  undo: Undo;
  /** A write of this run got no reply. It may be executed at any time. */
  hasLostReply: boolean;
  /** The previous run was cut off. Its last request may be executed at any time. */
  mayBeDisturbed: boolean;
  /** True if the lock must stay, so that an operator checks the target or another run takes over. */
  lockMustStay: boolean;
  /** The last plan that was judged under our lock. */
  judged: Planned | undefined;
  /** Changes that the plan overwrites and their authors, as read before the first write. */
  changedBefore: readonly ChangedBefore[];
  /** Result of the checks after the commit. */
  watchReport: WatchReport | undefined;
}

/** Shared by all steps of one apply on one target. */
export interface ApplySession {
  readonly target: ReadTarget;
  readonly writer: Fenced<Writer>;
  /** Undefined if the device has no locks. */
  readonly locks: Fenced<Locks> | undefined;
  /** For a target without locks: the lease that every write of this run requires. */
  readonly lease: RunLease | undefined;
  readonly context: TargetContext;
  readonly write: WriteOptions;
  readonly facts: SessionFacts;
  readonly run: Run;
  readonly step: Step;
  readonly journal: Journal;
  readonly warnings: string[];
  readonly ledger: RunLedger;
  readonly progress: RunProgress;
}

/** For functions that only read the target. */
export type TargetSession = Pick<ApplySession, "context" | "facts" | "target">;

/** For functions that take, check or release the lock. They change neither the configuration nor the ledger. */
export type LockSession = Omit<ApplySession, "writer" | "journal" | "ledger" | "progress">;

/** For functions that push to firewalls. The configuration of the manager is complete. */
export type PushSession = LockSession & Pick<ApplySession, "progress">;

/** For functions that decide and record. They do not change the target. */
export type LedgerSession = Omit<ApplySession, "writer" | "locks">;

/**
 * Reads and plans again under our lock.
 * @param isCommitted True if no change of ours should be uncommitted any longer.
 */
export async function replan(session: LedgerSession, isCommitted = false): Promise<Planned> {
  const {
    target,
    context,
    ledger,
    facts: { capabilities, foreignLedgers, administrator },
  } = session;
  return await readAndPlan(target, capabilities, context, {
    against: "candidate",
    ledger: ledger.current,
    foreignLedgers,
    administrator,
    device: deviceLabel(recordOf(ledger.current)?.devices, session.facts.device),
    writtenSecrets: ledger.writtenSecrets,
    isCommitted,
  });
}

/** Waits until no job of ours runs, and returns the finished ones whose description starts with `prefix`. */
export async function settledJobs(
  { writer }: Pick<ApplySession, "writer">,
  prefix: string,
  progress: Progress,
): Promise<readonly SettledJob[]> {
  return (await writer.commits?.settleJobs(prefix, progress)) ?? [];
}

export function hasWork({ plan }: Planned): boolean {
  return plan.operations.length > 0 || plan.commitOnly;
}

/** Returns our own administrator and the additional accounts that the configuration declares (`administrators:`). */
export function ourAccounts({ context, facts: { administrator } }: Pick<ApplySession, "facts" | "context">): ReadonlySet<string> {
  return new Set([administrator, ...context.settings.administrators]);
}

/** Returns the pending changes of other administrators as one text, so that two reads can be compared. */
export function othersText(pending: readonly PendingChange[], administrator: string): string {
  const rows = pending.filter((change) => change.owner !== administrator);
  return rows
    .map((change) => JSON.stringify([change.owner, change.xpath, change.action]))
    .sort()
    .join("\n");
}

export async function pendingNow(session: TargetSession): Promise<readonly PendingChange[]> {
  return session.facts.capabilities.candidate && session.facts.capabilities.changeList ? await pendingOn(session.target) : [];
}

export async function note(
  session: LedgerSession,
  event: JournalLine["event"],
  digest: string,
  extra: Partial<JournalLine> = {},
): Promise<void> {
  const time = new Date(session.context.options.machine.now()).toISOString();
  await session.journal.append({ run: formatRun(session.run), time, event, digest, ...extra });
}

export function reportProgress(
  session: Pick<ApplySession, "context">,
  text: string,
  counted?: { readonly done: number; readonly all: number },
): void {
  session.context.options.listeners.progress?.(session.context.name, text, counted);
}

export function jobProgress(session: Pick<ApplySession, "context">, what: string): Progress {
  return ({ job, percent, status }) =>
    reportProgress(session, `${what}, job ${job} ${status}${percent === undefined ? "" : ` ${percent} %`}`);
}

/** Seconds after which our lock counts as abandoned. */
export function takeoverAfter({ configuration }: TargetContext): number {
  return configuration.takeoverAfter ?? TAKEOVER_AFTER_SECONDS;
}
