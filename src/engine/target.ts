import type { PlumblineError } from "../core/errors.js";
import type { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import type { ObjectUser } from "../guards/context.js";
import type { InTheWay, ManagedFirewall, RunningPush, RunningVersion } from "../outcome/managed-firewalls.js";
import type { Attribution, Change } from "../plan/diff/change.js";
import type { PlannedOperation } from "../plan/model.js";
import type { Capabilities, Identity, PendingChange, View } from "../plan/platform.js";
import type { Counters, Logs, Resolver } from "../reachability/policy-target.js";
import type { Trials } from "./capability-trials.js";
import type { TargetMemory } from "./target-memory.js";

/**
 * Read access to a target, for `plan`, `drift`, `status` and `explain`. Every target implements `Reads`. The other interfaces are
 * optional: one is undefined if the platform does not support it.
 */
export interface ReadTarget extends Reads {
  readonly who?: Who;
  readonly digests?: Digests;
  readonly hiding?: Hiding;
  readonly ids?: Ids;
  readonly uses?: Uses;
  readonly room?: Quota;
  readonly pendingAndLocks?: PendingAndLocks;
  readonly managed?: Managed;
  readonly managedBy?: ManagedBy;
  readonly images?: Images;
  readonly logs?: Logs;
  readonly counters?: Counters;
  readonly resolver?: Resolver;
  readonly trials?: Trials;
}

interface Reads {
  readonly name: string;
  readonly kind: string;
  readonly shape: Shape;
  /** Connects. Called once in a pass, before other requests. The argument is the state that an earlier process saved. */
  open(memory?: TargetMemory): Promise<Opened>;
  /** Sends one request that the target answers quickly. Undefined if `open` begins with one. */
  probe?(): Promise<void>;
  /**
   * Reads subtrees into one tree under the root element. A subtree that does not exist is absent from the tree. An empty answer
   * is accepted only after its nearest ancestor was read too (docs/contributing/plan.md#an-empty-answer). Otherwise the error is thrown, or
   * passed to `onDoubt` if the rest of the tree is usable without that subtree.
   */
  read(subtrees: readonly Path[], view: View, onDoubt?: OnDoubt): Promise<TreeNode>;
  /**
   * Returns who last changed `node` (which `read` found at `path`), or who deleted the object with the platform's id `id`.
   * Undefined if the platform does not record it.
   */
  attribution(path: Path, node: TreeNode | undefined, id?: string): Promise<Attribution | undefined>;
  /** Returns facts for `plumbline doctor`, in the platform's field names and order. */
  status(): Promise<ReadonlyMap<string, string>>;
  close(): Promise<void>;
}

/** Called if a subtree reads as empty but other data contradicts that. */
export type OnDoubt = (path: Path, doubt: PlumblineError) => void;

export interface Opened {
  readonly identity: Identity;
  /** Names that only this device has, such as the serial numbers of both members of a pair. The serial number by default. */
  readonly devices?: readonly string[] | undefined;
  readonly capabilities: Capabilities;
  /** For a pair: whether both members have the same running configuration. Undefined if the device does not report it. */
  readonly isSynchronized?: boolean | undefined;
  /** Uncommitted changes, if the same reply contained them. */
  readonly pending?: readonly PendingChange[] | undefined;
}

/** Implemented by platforms with separate requests for the serial number and the role in a pair. Not cached. */
export interface Who {
  serial(): Promise<string | undefined>;
  role(): Promise<Identity["role"]>;
}

/** Implemented by platforms that detect changes cheaply, without parsing the configuration. */
export interface Digests {
  /**
   * Returns a text that stays the same until any part of these subtrees changes that `driftTargets` would read. Undefined if the
   * platform cannot guarantee this. `listed`: uncommitted changes, if they were just read.
   */
  digest(subtrees: readonly Path[], listed?: readonly PendingChange[]): Promise<string | undefined>;
}

/** Implemented by platforms whose lists omit objects that the account may not see. */
export interface Hiding {
  /** Returns existing objects that the last `read` did not show: those of `entries`, and those that other objects refer to. */
  hidden(entries: readonly Path[]): Promise<readonly HiddenObject[]>;
}

/** Implemented by platforms that give each object an id, which stays the same after a rename. */
export interface Ids {
  /** Returns the id of the object at `path` from the last read. Undefined if the entry is not one object. */
  idOf(path: Path): string | undefined;
  /** Called before `read`. If several objects have the same mark, the object whose id is in the ledger gets the name. */
  prefer?(known: Known): void;
  /** Requests objects that the last `read` did not show, by id or by references to them. Returns those that may still exist. */
  hidden?(missed: readonly Missed[]): Promise<readonly HiddenObject[]>;
  /** Returns whether the reply to this run's write showed the object at `path` as written. A later difference is then a manual change. */
  wasStored?(path: Path): boolean;
  /** Returns entries whose create request was repeated after no reply. The first request may still be executed. */
  unanswered?(): readonly string[];
  /** Returns the project and roles that decide which objects are visible. The ledger records them. Undefined if unknown. */
  access?(): Promise<Access | undefined>;
}

/** Ledger data for platforms where some objects carry no mark. For these, only the ledger records the owner. */
export interface Known {
  readonly owner: string;
  readonly ids: ReadonlySet<string>;
  /** Canonical XPaths that were announced before a write and have no id yet. */
  readonly announced: ReadonlySet<string>;
}

/** A ledger entry that the last read did not show. */
export interface Missed {
  readonly path: Path;
  /** Undefined if the run that announced the entry ended without recording its result. */
  readonly id: string | undefined;
  /** Whether this run has at least the access of the run that wrote the ledger. */
  readonly seesAll: boolean;
}

/** Scope and roles of a token. */
export interface Access {
  readonly project: string;
  /** Sorted. */
  readonly roles: readonly string[];
}

/** Implemented by platforms that refuse to delete objects in use, including uses by objects outside the tree. */
export interface Uses {
  /** Returns the users of the object at `entry` from the last read. */
  usersOf(entry: Path): readonly ObjectUser[];
}

/** Quota check. */
export interface Quota {
  /** Returns the quotas that these changes exceed. Empty if all fit, or if the platform does not report quotas. */
  shortOf(changes: readonly Change[]): Promise<readonly Shortage[]>;
}

export interface Shortage {
  /** First entry that needs the quota. */
  readonly path: Path;
  readonly message: string;
}

/** An existing object that the account cannot see in lists. */
export interface HiddenObject {
  readonly path: Path;
  /** Message of the platform, or the reference that shows that the object exists. */
  readonly reason: string;
}

/** Implemented by platforms with uncommitted changes and locks of administrators. */
export interface PendingAndLocks {
  /** Returns uncommitted changes. Also empty if the platform cannot list them (`changeList`). */
  pending(): Promise<readonly PendingChange[]>;
  /** Returns the locks of one kind, by default of both. */
  locks(kind?: Lock["kind"]): Promise<readonly Lock[]>;
}

export interface Lock {
  readonly kind: "config" | "commit";
  readonly scope: string;
  readonly owner: string;
  readonly comment: string;
  readonly created: string | undefined;
}

/** Implemented by managers, which push their running configuration to firewalls. */
export interface Managed {
  /** Returns the paths, in document notation, that no push delivers to a firewall. */
  beyond(paths: readonly Path[]): readonly string[];
  /** Returns the manager's view of the firewalls that `reach` affects, by default of all. Undefined if it manages none. */
  firewalls(reach?: Reach): Promise<readonly ManagedFirewall[] | undefined>;
  /**
   * Reads from each connected firewall the configuration that it received, and compares it with the running configuration, or with
   * the result of `planned`. Rejects if the running configuration cannot be read.
   */
  verify(rows: readonly ManagedFirewall[], planned?: readonly PlannedOperation[]): Promise<readonly ManagedFirewall[]>;
  /** Returns local settings of connected firewalls that override pushed ones. Rejects like `verify`. */
  local(rows: readonly ManagedFirewall[]): Promise<readonly InTheWay[]>;
  /** Returns running pushes of all administrators. */
  pushes(): Promise<readonly RunningPush[]>;
  /** Returns earlier running versions, the oldest first. Firewalls report which one they have. */
  versions(): Promise<readonly RunningVersion[]>;
  /**
   * Adds the version number of each firewall in the numbering of this manager; none if unknown. The members of a manager pair number
   * their versions separately, and a firewall may report the number of the other member. Rejects like `versions`.
   */
  bearing(rows: readonly ManagedFirewall[]): Promise<readonly ManagedFirewall[]>;
  /**
   * Returns whether one of the versions changed configuration that a place (`by` of a row) delivers. True if unknown. Rejects if the
   * versions are not complete.
   */
  touched(places: readonly string[], versions: readonly number[]): Promise<(place: string, version: number) => boolean>;
}

/** Implemented by firewalls with a manager. */
export interface ManagedBy {
  /** Returns the node that the manager pushes at `path`, if any. Rejects if the manager or the firewall does not answer. */
  handedAt(path: Path): Promise<PushedNode | undefined>;
}

/** A node that a manager pushes to a firewall. */
export interface PushedNode {
  /** Name of the manager's target. */
  readonly manager: string;
  /** Place on the manager that declares the node: `shared`, `device-group/x`, `template/x`, `template-stack/x`. */
  readonly by: string;
  /** Path of the node on the manager. */
  readonly at: Path;
  /** The node with variables replaced by their values, as the firewall receives it. */
  readonly node: TreeNode;
  /** Local setting of the firewall that overrides the node, and its effect. */
  readonly hiddenBy?: { readonly path: Path; readonly words: string } | undefined;
}

/** Paths of a tree, and the tree that was read. */
export interface Reach {
  readonly paths: readonly Path[];
  readonly tree: TreeNode;
}

/** Implemented by platforms with an image service (`artifacts:`). */
export interface Images {
  /** Returns the MD5 of an image. Undefined if no image or more than one has this name. */
  checksum(name: string): Promise<string | undefined>;
}
