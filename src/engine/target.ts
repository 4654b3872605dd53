import type { PlumblineError } from "../core/errors.js";
import type { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import type { InTheWay, ManagedFirewall, PushUnderWay, RunningVersion } from "../outcome/managed-firewalls.js";
import type { Attribution, Change } from "../plan/diff/change.js";
import type { PlannedOperation } from "../plan/model.js";
import type { Capabilities, Identity, PendingChange } from "../plan/platform.js";

import type { LogRecord, LogSearch, LogSearchWaiter } from "./log-reader.js";
import type { LookUps } from "./policies.js";
import type { TargetMemory } from "./target-memory.js";
import type { Trials } from "./trials.js";

export type View = "candidate" | "running";

/**
 * What `plan`, `drift`, `status` and `explain` are given: it only reads. Every target has the first part; a role that its
 * platform does not have is absent.
 */
export interface ReadTarget extends Reads {
  readonly who?: Who;
  readonly digests?: Digests;
  readonly hiding?: Hiding;
  readonly ids?: Ids;
  readonly uses?: Uses;
  readonly room?: Room;
  readonly underWay?: UnderWay;
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
  /** Asked once a pass, before anything else; by whoever opens it first with what a process before kept of it. */
  open(memory?: TargetMemory): Promise<Opened>;
  /**
   * Reads subtrees and hangs them in one tree under the root element. A subtree that is not there is absent from
   * the tree; an empty answer is believed only after its nearest ancestor was read back (docs/plan.md#an-empty-answer).
   * One that is not believed is thrown, or handed to `onDoubt` where the rest is of use without it.
   */
  read(subtrees: readonly Path[], view: View, onDoubt?: OnDoubt): Promise<TreeNode>;
  /**
   * Who last changed `node` (found at `path` by `read`), or deleted what had the platform's id `id`; undefined when the platform
   * cannot tell.
   */
  attribution(path: Path, node: TreeNode | undefined, id?: string): Promise<Attribution | undefined>;
  /** Facts for `plumbline status`, in the platform's own field names and order. */
  status(): Promise<ReadonlyMap<string, string>>;
  close(): Promise<void>;
}

/** Told of a subtree whose empty answer something else speaks against. */
export type OnDoubt = (path: Path, doubt: PlumblineError) => void;

export interface Opened {
  readonly identity: Identity;
  /** Names that only this device has, such as the serial numbers of both members of a pair. The serial number by default. */
  readonly devices?: readonly string[] | undefined;
  readonly capabilities: Capabilities;
  /** Of a pair: whether the other box has what is running on this one; undefined where it does not say. */
  readonly isSynchronized?: boolean | undefined;
  /** What was uncommitted as it was asked this, where that came along. */
  readonly pending?: readonly PendingChange[] | undefined;
}

/** Of a platform that tells which box answers and which part of a pair that has by questions apart, asked anew each time. */
export interface Who {
  serial(): Promise<string | undefined>;
  role(): Promise<Identity["role"]>;
}

/** Of a platform that can be looked at cheaply, without parsing what it sends. */
export interface Digests {
  /**
   * A text that is the same as long as nothing at all moved in what `driftTargets` would read of these subtrees; undefined
   * where that cannot be told. `listed`: what was uncommitted, where it was asked a moment ago.
   */
  digest(subtrees: readonly Path[], listed?: readonly PendingChange[]): Promise<string | undefined>;
}

/** Of a platform whose lists leave out what a right is missing for. */
export interface Hiding {
  /** What is there and the last `read` did not show: of `entries`, which are missed, and what other objects give away. */
  hidden(entries: readonly Path[]): Promise<readonly HiddenObject[]>;
}

/** Of a platform that gives each object an id, which stays when the object is renamed. */
export interface Ids {
  /** The id of the object whose entry stands at `path`, by what was read last; undefined for what is no single object. */
  idOf(path: Path): string | undefined;
  /** Before a `read`. Of several objects with one mark of ours, one that the ledger has by its id has the name. */
  prefer?(known: Known): void;
  /** Asks for objects that the last `read` did not show, by their ids, or by what it showed of them elsewhere: those that are not surely gone. */
  hidden?(missed: readonly Missed[]): Promise<readonly HiddenObject[]>;
  /** The reply to our write showed the object as written, in which `path` lies: what differs since somebody changed. */
  wasStored?(path: Path): boolean;
  /** Entries whose create got no answer and was sent again since nothing came of it: the first may be carried out still. */
  unanswered?(): readonly string[];
  /** What decides what we are shown, for the ledger to remember; undefined where nothing of it is known. */
  access?(): Promise<Access | undefined>;
}

/** What the ledger has: for a platform that keeps no mark of ours on some objects, the only word on whose they are. */
export interface Known {
  readonly owner: string;
  readonly ids: ReadonlySet<string>;
  /** Canonical XPaths that were noted before a write and have no id yet. */
  readonly announced: ReadonlySet<string>;
}

/** An entry that the ledger has, and that was not shown. */
export interface Missed {
  readonly path: Path;
  /** Undefined where nobody recorded what came of the run that announced the entry. */
  readonly id: string | undefined;
  /** Our access is what the ledger was written with, or more. */
  readonly seesAll: boolean;
}

/** For what a token is, and as what. */
export interface Access {
  readonly project: string;
  /** Sorted. */
  readonly roles: readonly string[];
}

/** Of a platform that does not delete what is in use, also by what is no entry of its tree. */
export interface Uses {
  /** Who uses the object whose entry stands at `entry`, by what was read last. */
  usersOf(entry: Path): readonly User[];
}

/** Of a platform that gives whom it serves so much of a thing and no more. */
export interface Room {
  /** What these changes take more of than is left, with what to say of it; empty where all fits, or where nobody says. */
  shortOf(changes: readonly Change[]): Promise<readonly Shortage[]>;
}

export interface Shortage {
  /** The first entry that takes of it. */
  readonly path: Path;
  readonly message: string;
}

export interface User {
  /** The entry that stands for it; undefined for what none does. */
  readonly entry: Path | undefined;
  readonly words: string;
}

/** An entry that is there and not shown to us. */
export interface HiddenObject {
  readonly path: Path;
  /** The platform's words, or what gives it away. */
  readonly reason: string;
}

/** Of a platform on which administrators have work under way: uncommitted, or under a lock. */
export interface UnderWay {
  /** Empty, too, where it cannot be listed (`changeList`). */
  pending(): Promise<readonly PendingChange[]>;
  /** Of both kinds where none is named. */
  locks(kind?: Lock["kind"]): Promise<readonly Lock[]>;
}

export interface Lock {
  readonly kind: "config" | "commit";
  readonly scope: string;
  readonly owner: string;
  readonly comment: string;
  readonly created: string | undefined;
}

/** Of a platform that hands what is running on it to firewalls, which get it by a push. */
export interface Managed {
  /** What of the paths no push to firewalls brings anywhere, as documents name it. */
  beyond(paths: readonly Path[]): readonly string[];
  /** What it says of the firewalls that a part of it reaches, or of all; undefined of a box that has none. */
  firewalls(reach?: Reach): Promise<readonly ManagedFirewall[] | undefined>;
  /**
   * The rows with what each firewall that is connected says itself that it was handed, held against what is running, or against what
   * `planned` makes of it. Rejects where what is running cannot be read.
   */
  verify(rows: readonly ManagedFirewall[], planned?: readonly PlannedOperation[]): Promise<readonly ManagedFirewall[]>;
  /** What firewalls of the rows that are connected have of their own that is in the way. Rejects as `verify` does. */
  local(rows: readonly ManagedFirewall[]): Promise<readonly InTheWay[]>;
  /** Pushes of anybody that are not over. */
  pushes(): Promise<readonly PushUnderWay[]>;
  /** What was running there, the oldest first: firewalls say which of it they have. */
  versions(): Promise<readonly RunningVersion[]>;
  /**
   * The rows with the number of the version that they have by this box's own count, and none where that is not known: one of a pair numbers its
   * versions for itself, and a firewall may bear the number of the other one. Rejects as `versions` does.
   */
  bearing(rows: readonly ManagedFirewall[]): Promise<readonly ManagedFirewall[]>;
  /**
   * Whether one of the versions changed a part of what a place (`by` of a row) hands on; true of what is not known. Rejects where versions are not
   * shown whole.
   */
  touched(places: readonly string[], versions: readonly number[]): Promise<(place: string, version: number) => boolean>;
}

/** Of a box that has a manager. */
export interface ManagedBy {
  /** What the manager hands it at `path`; undefined where that is nothing. Rejects where manager or box cannot be asked. */
  handedAt(path: Path): Promise<HandedDown | undefined>;
}

/** A node that a manager hands to a box. */
export interface HandedDown {
  /** Name of the manager's target. */
  readonly manager: string;
  /** The part of the manager that says it: `shared`, `device-group/x`, `template/x`, `template-stack/x`. */
  readonly by: string;
  /** Where it stands on the manager. */
  readonly at: Path;
  /** As the box gets it: variables with their values. */
  readonly node: TreeNode;
  /** What the box has of its own that is in the way, and what comes of it. */
  readonly hiddenBy?: { readonly path: Path; readonly words: string } | undefined;
}

/** A part of a tree: where it stands, and what was read there. */
export interface Reach {
  readonly paths: readonly Path[];
  readonly tree: TreeNode;
}

/** Of a platform with an image service (`artifacts:`). */
export interface Images {
  /** MD5 of an image by its name; undefined for one that the platform does not know, or knows twice. */
  checksum(name: string): Promise<string | undefined>;
}

/** Of a platform that counts what its rules decide. */
export interface Counters {
  /** Of one rulebase; undefined where it keeps none of it. */
  ruleHits(scope: string): Promise<readonly RuleHits[] | undefined>;
}

/** Of a platform that tells what it has now of names and lists that rules use. */
export interface Resolver {
  /** What it has of those in a tree that was read; `refused`: of what it did not tell, and why, as sentences. */
  lookUp(tree: TreeNode, view: View): Promise<{ readonly known: LookUps["known"]; readonly refused: readonly string[] }>;
}

/** What a platform counted of one rule. Times in milliseconds since 1970. */
export interface RuleHits {
  /** Names may stand more than once. */
  readonly rule: string;
  /** Undefined where it cannot be read. */
  readonly count: number | undefined;
  /** Undefined: never, as far as is known. */
  readonly last: number | undefined;
  /** When counting began; undefined where nobody says. */
  readonly since: number | undefined;
}

/** Of a platform that keeps logs. */
export interface Logs {
  /** The target's own clock, `yyyy/mm/dd hh:mm:ss`; undefined where it cannot be read. */
  deviceTime(): Promise<string | undefined>;
  /** Newest first. */
  records(count: LogCount): Promise<readonly ReadonlyMap<string, string>[]>;
  /** Page by page, as they come. */
  pages(search: LogSearch, watch?: LogSearchWaiter): AsyncIterable<readonly LogRecord[]>;
}

/**
 * Records of one log, by the target's own clock (`yyyy/mm/dd hh:mm:ss`).
 *
 * @internal Exported for tests that make one.
 */
export interface LogCount {
  readonly type: string;
  /** A filter in the target's own language. */
  readonly query: string | undefined;
  readonly since: string;
  readonly until: string;
  /** Records at most. */
  readonly most: number;
}
