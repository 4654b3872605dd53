import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import { TAKEOVER_AFTER_SECONDS } from "../../desired/configuration.js";
import type { DriftItem, WatchReport } from "../../outcome/outcome.js";
import type { Capabilities, Identity, PendingChange } from "../../plan/platform.js";
import { type Device, deviceLabel } from "../device-identity.js";
import type { Fenced } from "../fence.js";
import type { RunLease } from "../lease/run-lease.js";
import type { LedgerState } from "../ledger.js";
import type { TargetContext } from "../pass/context.js";
import type { WriteOptions } from "../pass/options.js";
import { type Planned, readAndPlan, recordOf } from "../pass/planner.js";
import type { Lock, ReadTarget } from "../target.js";
import { pendingOn } from "../under-way.js";
import type { OpenWatch } from "../watch/open-watch.js";
import type { Locks, Progress, SettledJob, Writer } from "../write-target.js";
import type { Failures } from "./failures.js";
import type { Journal, JournalLine } from "./journal.js";
import { formatRun, type Run } from "./lock-mark.js";
import type { Step } from "./steps.js";
import type { Undo } from "./undo.js";

/** What a plan writes over, with who changed it last before the first write. */
export interface ChangedBefore extends DriftItem {
  /** What proves that another administrator made the change (`AsLeft.evidenceOf`). */
  readonly evidence: "content" | "author" | "none";
}

/** One apply on one target: who we are, what we were told, and what we have done so far. */
export interface ApplySession {
  readonly target: ReadTarget;
  readonly writer: Fenced<Writer>;
  /** Undefined where this very device has no locks. */
  readonly locks: Fenced<Locks> | undefined;
  readonly context: TargetContext;
  readonly write: WriteOptions;
  readonly identity: Identity;
  readonly device: Device;
  readonly capabilities: Capabilities;
  readonly administrator: string;
  readonly foreignLedgers: ReadonlyMap<string, string>;
  readonly run: Run;
  /** Of a target without locks: what every write of this run requires. */
  readonly lease: RunLease | undefined;
  readonly step: Step;
  readonly journal: Journal;
  readonly warnings: string[];
  /** As last read or written. */
  ledger: LedgerState;
  /** How to put back what is written and not committed. */
  undo: Undo;
  /** What failed where objects stand for themselves. */
  readonly failures: Failures;
  /** The run before was cut off: a last request of it may come at any time. */
  mayBeDisturbed: boolean;
  /** A write of this run got no reply: it may be carried out at any time. */
  hasLostReply: boolean;
  /** What such writes may still do, where objects bear no marks: paths, as the ledger has them (`LedgerRecord.unanswered`). */
  readonly unanswered: Map<string, string>;
  /** Set when the lock must stay as a sign that somebody has to look. */
  keepLock: boolean;
  /** A commit of ours took our lock along, and it was seen gone: nobody but this run takes it again. */
  isLockGone: boolean;
  /** Locks as they were beside the reading of the plan, until ours is taken; `isWhole`: those on commits among them. */
  looked: { readonly locks: readonly Lock[]; readonly isWhole: boolean } | undefined;
  /** Our lock did not come at once. */
  hasWaited: boolean;
  /** Jobs of ours were asked for under our lock: none goes on. */
  hasAskedJobs: boolean;
  /** Since our lock was taken the box was seen to be the one of the plan, and has no peer: whichever has our lock is that one. */
  isBoxKnown: boolean;
  /** The ledger was of another commit when this run began to write: documents may say anew what stands already. */
  bringsCommit: boolean;
  /** Paths that a run before announced and never proved: it was cut off at writing them. */
  readonly cutOff: Set<string>;
  /** What the last plan that was written left out, because it was not seen. */
  leftOut: readonly Path[];
  operations: number;
  requests: number;
  deletes: number;
  /** Secrets written since the ledger was recorded, by XPath. */
  readonly written: Set<string>;
  /** Paths of the ledger that the plans of this session change, and whether something was there before. */
  readonly touched: Map<string, boolean>;
  /** Commits that stand. */
  commits: number;
  /** All of the plan is committed; what may still fail is only proof and record. */
  complete: boolean;
  /** Records that each watch counted before the first write. */
  baseline: readonly number[];
  /** Probes that failed before the first write, by their place among the checks. */
  failedBefore: readonly number[];
  /** What the first commit changes, as it was; undefined where only the target's own copy tells all of it. */
  before: TreeNode | undefined;
  /** The target keeps a copy of what was there before the first write. */
  savesSnapshots: boolean;
  /** Names of saved configurations that are no longer there. */
  readonly removedSnapshots: Set<string>;
  /** The ledger before the first write. */
  ledgerBefore: OpenWatch["before"];
  /** Who had changed what the plan writes over, before the first write. */
  changedBefore: readonly ChangedBefore[];
  /** The plan that was judged last, under our lock. */
  judged: Planned | undefined;
  /** What became of the watch after the commit. */
  watched: WatchReport | undefined;
}

/** Reads and plans again, under our lock. `isCommitted`: nothing of ours is thought to be uncommitted any more. */
export async function planAgain(session: ApplySession, isCommitted = false): Promise<Planned> {
  const { target, capabilities, context, ledger, foreignLedgers, administrator } = session;
  return await readAndPlan(target, capabilities, context, {
    against: "candidate",
    ledger,
    foreignLedgers,
    administrator,
    device: deviceLabel(recordOf(ledger)?.devices, session.device),
    writtenSecrets: session.written,
    isCommitted,
  });
}

/** Finished jobs of ours whose description starts with `prefix`, once none of ours runs any more. */
export async function settledJobs({ writer }: ApplySession, prefix: string, progress: Progress): Promise<readonly SettledJob[]> {
  return (await writer.commits?.settleJobs(prefix, progress)) ?? [];
}

export function hasWork({ plan }: Planned): boolean {
  return plan.operations.length > 0 || plan.commitOnly;
}

/** Our own administrator, and the further accounts of ours that are declared (`administrators:`). */
export function ourAccounts({ administrator, context }: Pick<ApplySession, "administrator" | "context">): ReadonlySet<string> {
  return new Set([administrator, ...context.administrators]);
}

/** Pending changes of other administrators, as one text that two readings can be compared by. */
export function foreignText(pending: readonly PendingChange[], administrator: string): string {
  const rows = pending.filter((change) => change.owner !== administrator);
  return rows
    .map((change) => JSON.stringify([change.owner, change.xpath, change.action]))
    .sort()
    .join("\n");
}

export async function pendingNow(session: ApplySession): Promise<readonly PendingChange[]> {
  return session.capabilities.candidate && session.capabilities.changeList ? await pendingOn(session.target) : [];
}

export async function note(
  session: ApplySession,
  event: JournalLine["event"],
  digest: string,
  extra: Partial<JournalLine> = {},
): Promise<void> {
  const time = new Date(session.context.options.machine.now()).toISOString();
  await session.journal.append({ run: formatRun(session.run), time, event, digest, ...extra });
}

export function say(session: ApplySession, text: string, counted?: { readonly done: number; readonly all: number }): void {
  session.context.options.progress?.(session.context.name, text, counted);
}

export function jobProgress(session: ApplySession, what: string): Progress {
  return ({ job, percent, status }) => say(session, `${what}, job ${job} ${status}${percent === undefined ? "" : ` ${percent} %`}`);
}

/** Seconds after which a lock of ours counts as left behind. */
export function takeoverAfter({ configuration }: TargetContext): number {
  return configuration.takeoverAfter ?? TAKEOVER_AFTER_SECONDS;
}
