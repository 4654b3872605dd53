import type { PlumblineError } from "../core/errors.js";
import type { Operation } from "../core/operation.js";
import type { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import type { Attribution } from "../plan/diff/change.js";
import type { Capabilities, Identity, PendingChange } from "../plan/platform.js";

export interface Lock {
  readonly kind: "config" | "commit";
  readonly scope: string;
  readonly owner: string;
  readonly comment: string;
  readonly created: string | undefined;
}

/** An entry that is there and not shown to us. */
export interface HiddenObject {
  readonly path: Path;
  /** The platform's words, or what gives it away. */
  readonly reason: string;
}

export type View = "candidate" | "running";

/** Reads only: what `plan`, `drift`, `status` and `explain` are given. */
export interface ReadTarget {
  readonly name: string;
  readonly kind: string;
  readonly shape: Shape;
  /** Asked once a pass, before anything else. */
  open(): Promise<{ readonly identity: Identity; readonly capabilities: Capabilities }>;
  /**
   * Reads subtrees and hangs them in one tree under the root element. A subtree that is not there is absent from
   * the tree; an empty answer is believed only after its nearest ancestor was read back (docs/plan.md#an-empty-answer).
   */
  read(subtrees: readonly Path[], view: View): Promise<TreeNode>;
  /**
   * A text that is the same as long as nothing at all moved in what `driftTargets` would read of these subtrees, made
   * without parsing it; undefined where that cannot be told. Absent where the platform has no cheap way.
   */
  digest?(subtrees: readonly Path[]): Promise<string | undefined>;
  /**
   * What is there and the last `read` did not show, for whoever may see it: of `entries`, which are missed, and what other
   * objects give away. Absent where a list shows all or fails.
   */
  hidden?(entries: readonly Path[]): Promise<readonly HiddenObject[]>;
  pending(): Promise<readonly PendingChange[]>;
  locks(): Promise<readonly Lock[]>;
  /** Who last changed `node` (found at `path` by `read`); undefined when the platform cannot tell. */
  attribution(path: Path, node: TreeNode | undefined): Promise<Attribution | undefined>;
  /** MD5 of an image by its name, where the target has an image service (`artifacts:`); undefined for one that it does not know. */
  imageChecksum?(name: string): Promise<string | undefined>;
  /** Facts for `plumbline status`, in the platform's own field names and order. */
  status(): Promise<ReadonlyMap<string, string>>;
  close(): Promise<void>;
}

export interface CommitResult {
  /** `nothing`: the platform said that there was nothing to commit. */
  readonly outcome: "committed" | "nothing" | "failed";
  readonly job: string | undefined;
  readonly lines: readonly string[];
}

/** Records of one log, by the target's own clock (`yyyy/mm/dd hh:mm:ss`). */
export interface LogCount {
  readonly type: string;
  /** A filter in the target's own language. */
  readonly query: string | undefined;
  readonly since: string;
  readonly until: string;
  /** Records at most. */
  readonly most: number;
}

export type Progress = (event: { readonly job: string; readonly percent: number | undefined; readonly status: string }) => void;

export interface SettledJob {
  readonly job: string;
  readonly description: string;
  readonly ok: boolean;
  readonly lines: readonly string[];
  /** When it ended, on the target's clock, where it tells. */
  readonly finished?: string | undefined;
}

/** Also writes. Only `apply.ts` and `commit.ts` ever hold one. */
export interface WriteTarget extends ReadTarget {
  /** Administrator under whose name we write. */
  administrator(): Promise<string>;
  /** Holds others off what is about to be `touched`, and no more than that where the platform locks parts by themselves. */
  lock(comment: string, touched: readonly Path[]): Promise<void>;
  unlock(): Promise<void>;
  /** Removes a lock that carries our mark but belongs to a run that is over. */
  breakLock(lock: Lock): Promise<void>;
  /** Saves the running configuration on the platform under a name, where it can. */
  snapshot(name: string): Promise<void>;
  /** False once the platform has said that it saves none. */
  readonly savesSnapshots?: boolean;
  /** One request; all or nothing where `atomicBatch`. Operations were packed by `plan` to fit the limits. */
  write(batch: readonly Operation[]): Promise<void>;
  /**
   * Called after the last batch, before the read-back: waits for what the platform is still making (servers that build).
   * Resolves with what failed, each with the path of the entry and the platform's own words.
   */
  settle?(progress: Progress): Promise<readonly PlumblineError[]>;
  validate(progress: Progress): Promise<CommitResult>;
  /** Enqueues a commit and watches its job to the end. */
  commit(options: { readonly description: string; readonly partial: boolean }, progress: Progress): Promise<CommitResult>;
  /** Sets the candidate back to running for our administrator's changes; only where `partialRevert`. */
  revert(): Promise<void>;
  /** Waits for queued and active jobs of ours, and returns the finished ones whose description starts with `prefix`. */
  settleJobs(prefix: string, progress: Progress): Promise<readonly SettledJob[]>;
  /** The target's own clock, `yyyy/mm/dd hh:mm:ss`; undefined where it cannot be read. */
  deviceTime?(): Promise<string | undefined>;
  /** Newest first; only where the target keeps logs. */
  logRecords?(count: LogCount): Promise<readonly ReadonlyMap<string, string>[]>;
  /** What `snapshot` saved under a name; undefined where there is none. */
  savedTree?(name: string): Promise<TreeNode | undefined>;
}
