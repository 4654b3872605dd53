import type { PlumblineError } from "../core/errors.js";
import type { Operation } from "../core/operation.js";
import type { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { ManagedFirewall, PushedFirewall } from "../outcome/managed-firewalls.js";
import type { PendingChange } from "../plan/platform.js";
import type { Unfenced } from "./fence.js";
import type { Lock, ReadTarget } from "./target.js";

/**
 * Write access to a target. Opening it does not give the writer: only `apply/new-session.ts` unlocks it, with the fence of the run.
 * From then on the apply session holds it.
 */
export interface WriteTarget extends ReadTarget {
  /** Returns the administrator account of the run. */
  administrator(): Promise<string>;
  readonly writer: Unfenced<Writer>;
}

/** Everything that changes a platform, in separate interfaces. One that the platform does not support is undefined. */
export interface Writer extends Writes {
  readonly together?: BulkCreate;
  readonly builds?: Builds;
  readonly locks?: Locks;
  readonly commits?: Commits;
  readonly snapshots?: Snapshots;
  readonly pushes?: Pushes;
}

export interface Writes {
  /**
   * Sends one request. With `atomicBatch` it succeeds or fails completely. The plan has packed the operations to fit the limits.
   * `pending`: uncommitted changes, if they were just read and this run has written nothing since.
   */
  write(batch: readonly Operation[], pending?: readonly PendingChange[]): Promise<void>;
}

/** Implemented by platforms that create several objects in one request (`Capabilities.madeTogether`). */
export interface BulkCreate {
  /** Creates objects of one list, one per operation. Returns one error or undefined for each operation. The others were created. */
  make(operations: readonly Operation[]): Promise<readonly (Error | undefined)[]>;
}

/** Implemented by platforms that create objects asynchronously (servers that build). */
export interface Builds {
  /**
   * Waits until all objects are created. Called after the last batch, before verification. Returns the failures, each with the path
   * of the entry and the message of the platform.
   */
  settle(progress: Progress): Promise<readonly PlumblineError[]>;
}

/** Implemented by platforms with configuration locks. Used only if the capability `locks` is set too. */
export interface Locks {
  /** Locks the parts that contain the `touched` paths, or everything if the platform has only one lock. */
  lock(comment: string, touched: readonly Path[]): Promise<void>;
  unlock(): Promise<void>;
  /** Removes a lock that an ended run of Plumbline left behind. */
  breakLock(lock: Lock): Promise<void>;
}

/** Implemented by platforms with a candidate configuration. */
export interface Commits {
  /** Validates the candidate. */
  validate(progress: Progress): Promise<CommitResult>;
  /** Starts a commit and waits until its job has ended. */
  commit(options: CommitOptions, progress: Progress): Promise<CommitResult>;
  /** Reverts the uncommitted changes of the run's account. Requires `partialRevert`. */
  revert(): Promise<void>;
  /** Waits for queued and running jobs of this account, and returns the finished jobs whose description starts with `prefix`. */
  settleJobs(prefix: string, progress: Progress): Promise<readonly SettledJob[]>;
}

/** Implemented by managers, which push their running configuration to firewalls. Each firewall then commits it. */
export interface Pushes {
  /** Splits rows into the fewest jobs in which the failure of one firewall does not affect the others. */
  parts(rows: readonly ManagedFirewall[]): Promise<readonly (readonly ManagedFirewall[])[]>;
  /** Starts a push to the firewalls of one part only. Returns the job. */
  start(part: readonly ManagedFirewall[], options: PushOptions): Promise<string>;
  /** Waits until the firewalls of a job have ended or time is up. Watches all firewalls of the job if `serials` is undefined. */
  watch(job: string, serials: readonly string[] | undefined, progress: Progress): Promise<readonly PushResult[]>;
  /** Returns running push jobs of all administrators, the newest job, and the newest job whose description starts with `prefix`. */
  jobs(prefix: string): Promise<readonly PushJob[]>;
}

export interface PushOptions {
  readonly description: string;
  /** Firewalls only validate the configuration. */
  readonly validateOnly: boolean;
  /** Pushes only the changes of these administrators. The default is the changes of all. */
  readonly admins?: readonly string[] | undefined;
}

export interface PushJob {
  readonly job: string;
  readonly description: string;
  /** Whether the job or one of its firewalls has not ended. */
  readonly isUnderWay: boolean;
}

/** Result of a push job for one firewall. */
export type PushResult = Omit<PushedFirewall, "wave" | "isBack" | "since">;

/** Implemented by platforms that save named configurations. */
export interface Snapshots {
  /** Saves the configuration under a name. Returns false if this device does not support it. */
  save(name: string): Promise<boolean>;
  /** Returns the configuration with this name. Undefined if there is none. */
  load(name: string): Promise<TreeNode | undefined>;
  /** Removes the configuration with this name, if it exists. Returns false if this device does not support it. */
  remove(name: string): Promise<boolean>;
}

export interface CommitOptions {
  readonly description: string;
  /** Commits only the changes of the run's account. */
  readonly partial: boolean;
}

export interface CommitResult {
  /** `nothing`: the platform reported that there was no change to commit. */
  readonly outcome: "committed" | "nothing" | "failed";
  readonly job: string | undefined;
  readonly lines: readonly string[];
}

export type Progress = (event: { readonly job: string; readonly percent: number | undefined; readonly status: string }) => void;

export interface SettledJob {
  readonly job: string;
  readonly description: string;
  readonly ok: boolean;
  readonly lines: readonly string[];
  /** End by the clock of the target, if it is reported. */
  readonly finished?: string | undefined;
}
