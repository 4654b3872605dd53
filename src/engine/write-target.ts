import type { PlumblineError } from "../core/errors.js";
import type { Operation } from "../core/operation.js";
import type { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { ManagedFirewall, PushedFirewall } from "../outcome/managed-firewalls.js";
import type { PendingChange } from "../plan/platform.js";
import type { Unfenced } from "./fence.js";
import type { Lock, ReadTarget } from "./target.js";

/**
 * A target that can be written to. Opening one gives nothing that writes: `apply/new-session.ts` is the one place that puts the
 * writer behind the fence of its run, and what holds it from there on is the session of `apply.ts`, `commit.ts` and `watch.ts`.
 */
export interface WriteTarget extends ReadTarget {
  /** Administrator under whose name we write. */
  administrator(): Promise<string>;
  readonly writer: Unfenced<Writer>;
}

/** All that changes a platform, a role each. One that it does not have is absent. */
export interface Writer extends Writes {
  readonly together?: Together;
  readonly builds?: Builds;
  readonly locks?: Locks;
  readonly commits?: Commits;
  readonly snapshots?: Snapshots;
  readonly pushes?: Pushes;
}

export interface Writes {
  /**
   * One request; all or nothing where `atomicBatch`. Operations were packed by `plan` to fit the limits. `pending`: what was uncommitted
   * a moment ago, with nothing done since, where that was asked.
   */
  write(batch: readonly Operation[], pending?: readonly PendingChange[]): Promise<void>;
}

/** Of a platform that makes several objects at a time (`Capabilities.madeTogether`). */
export interface Together {
  /** Makes new objects of one list, each by one operation. Resolves with what failed, in their order: the others stand. */
  make(operations: readonly Operation[]): Promise<readonly (Error | undefined)[]>;
}

/** Of a platform that goes on making what was written after it answered (servers that build). */
export interface Builds {
  /**
   * Called after the last batch, before the read-back: waits until all is made. Resolves with what failed, each with the
   * path of the entry and the platform's own words.
   */
  settle(progress: Progress): Promise<readonly PlumblineError[]>;
}

/** Of a platform whose configuration can be locked; only where the capability `locks` says so, too. */
export interface Locks {
  /** Holds others off what is about to be `touched`, and no more than that where the platform locks parts by themselves. */
  lock(comment: string, touched: readonly Path[]): Promise<void>;
  unlock(): Promise<void>;
  /** Removes a lock that carries our mark but belongs to a run that is over. */
  breakLock(lock: Lock): Promise<void>;
}

/** Of a platform with a candidate configuration. */
export interface Commits {
  /** `atLook`: see `AtLook`; never called where no job is watched. */
  validate(progress: Progress, atLook?: AtLook): Promise<CommitResult>;
  /** Enqueues a commit and watches its job to the end. */
  commit(options: CommitOptions, progress: Progress, atLook?: AtLook): Promise<CommitResult>;
  /** Sets the candidate back to running for our administrator's changes; only where `partialRevert`. */
  revert(): Promise<void>;
  /** Waits for queued and active jobs of ours, each told to `progress`, and returns the finished ones whose description starts with `prefix`. */
  settleJobs(prefix: string, progress: Progress): Promise<readonly SettledJob[]>;
}

/** Of a platform that hands what is running on it to firewalls, each of which then commits it. */
export interface Pushes {
  /** Which rows go in one job: as few jobs as there can be in which a firewall that fails takes none of another along. */
  parts(rows: readonly ManagedFirewall[]): Promise<readonly (readonly ManagedFirewall[])[]>;
  /** Enqueues a push of one part, to the firewalls of its rows and to nobody else. Gives the job. */
  start(part: readonly ManagedFirewall[], options: PushOptions): Promise<string>;
  /** Watches a job until each of its firewalls has ended, or the time for that is over. Of all that stand in it where none are named. */
  watch(job: string, serials: readonly string[] | undefined, progress: Progress): Promise<readonly PushResult[]>;
  /** Jobs of pushes, anybody's, that are not over; and, be they over, the newest of all and the newest whose description starts with `prefix`. */
  jobs(prefix: string): Promise<readonly PushJob[]>;
}

export interface PushOptions {
  readonly description: string;
  /** The firewalls say whether they would take it, and nothing changes. */
  readonly validateOnly: boolean;
  /** Their work alone goes out; everybody's where this is undefined. */
  readonly admins?: readonly string[] | undefined;
}

export interface PushJob {
  readonly job: string;
  readonly description: string;
  /** It has not ended, or a firewall of it has not. */
  readonly isUnderWay: boolean;
}

/** What became of one firewall of a job. */
export type PushResult = Omit<PushedFirewall, "wave" | "isBack" | "since">;

/** Of a platform that saves configurations on itself. */
export interface Snapshots {
  /** Saves the configuration under a name. False where this very device turns out to save none. */
  save(name: string): Promise<boolean>;
  /** What was saved under a name; undefined where there is none. */
  load(name: string): Promise<TreeNode | undefined>;
  /** Removes what was saved under a name; nothing there is as good. False where this very device removes none. */
  remove(name: string): Promise<boolean>;
}

export interface CommitOptions {
  readonly description: string;
  /** Our administrator's changes alone. */
  readonly partial: boolean;
}

export interface CommitResult {
  /** `nothing`: the platform said that there was nothing to commit. */
  readonly outcome: "committed" | "nothing" | "failed";
  readonly job: string | undefined;
  readonly lines: readonly string[];
}

export type Progress = (event: { readonly job: string; readonly percent: number | undefined; readonly status: string }) => void;

/**
 * Called right before each look at a job. `mayEnd`: the first at which it is likely to be over, by what jobs of its kind took here, as far as
 * that is known; a later one comes when it did not end as expected.
 */
export type AtLook = (mayEnd: boolean) => void;

export interface SettledJob {
  readonly job: string;
  readonly description: string;
  readonly ok: boolean;
  readonly lines: readonly string[];
  /** When it ended, on the target's clock, where it tells. */
  readonly finished?: string | undefined;
}
