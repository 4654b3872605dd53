import type { Ledger } from "../../engine/ledger/ledger.js";
import type { LedgerStore } from "../../engine/ledger/store.js";
import type { Approval, Pause } from "../../engine/pause.js";
import type { History } from "../../outcome/history.js";
import type { DriftMemory } from "./drift-record.js";
import type { Passes, PlanRecord } from "./pass-record.js";
import type { SharedWork } from "./shared/shared-work.js";
import type { TrafficStore } from "./traffic.js";

export * from "./drift-record.js";
export * from "./pass-record.js";

/**
 * Persistent state of an agent (docs/history.md). Times are milliseconds since 1970 UTC. It contains no secrets: values come from the
 * redacted views of the reports.
 * Every method is one transaction. All may throw a PlumblineError: `store-full`, `store-busy`, `store-unreachable`, `store-damaged`. An
 * agent that cannot write still reports drift but applies nothing.
 */
export interface Store {
  /** File, or database address without its password, for messages. */
  readonly place: string;
  /** Repository of the rows that are read and written. Undefined: unknown, then all rows are read. */
  readonly repository: string | undefined;
  readonly passes: Passes;
  readonly history: History;
  readonly drift: DriftMemory;
  readonly plans: Plans;
  readonly pauses: Pauses;
  readonly approvals: Approvals;
  readonly holds: Holds;
  readonly sources: Sources;
  readonly marks: Marks;
  readonly notifications: Notifications;
  readonly signOuts: SignOuts;
  readonly traffic: TrafficStore;
  readonly ledger: Ledger;
  /** Ledgers as text. */
  readonly ledgers: LedgerStore;
  /** Shared work of many agents. Undefined for a store with one agent (SQLite). */
  readonly shared: SharedWork | undefined;
  /**
   * Makes this process the only agent of the store, until `release` or the end of the process. Unfinished passes of an earlier agent become
   * `interrupted`.
   * @throws PlumblineError `store-claimed`, which names the other agent.
   */
  claim(runner: Runner, now: number): Promise<Claim>;
  /** Deletes at most one batch of rows above the retention. Returns true if there is more to delete. */
  prune(retention: Retention, now: number): Promise<boolean>;
  /** Returns the current size. */
  usage(): Promise<StoreUsage>;
  close(): Promise<void>;
}

/** Sessions of the page that were closed. All agents of the store refuse them. */
export interface SignOuts {
  /** Records a sign-out, and deletes those whose session would have ended by `now`. */
  add(signOut: SignOut, now: number): Promise<void>;
  has(session: string): Promise<boolean>;
  /** Sign-outs whose session would not have ended by `now`. */
  all(now: number): Promise<readonly SignOut[]>;
}

interface SignOut {
  /** Random identifier that is part of the signed cookie. */
  readonly session: string;
  /** When the session would have ended. */
  readonly until: number;
}

export interface StoreUsage {
  readonly bytes: number;
  /** Number of history rows. */
  readonly rows: number;
}

/** Process that runs passes: an agent or a manual command. */
export interface Runner {
  /** Unique id of the host or container. It need not be readable. */
  readonly host: string;
  /** Display name of the host. The default is the host name of the system. */
  readonly hostname?: string | undefined;
  readonly pid: number;
  readonly started: number;
  readonly version: string;
}

export function runnerName(runner: Pick<Runner, "host" | "pid">): string {
  return `${runner.host}:${runner.pid}`;
}

export interface Claim {
  /** Aborted when the claim is lost, for example after a failure of the database. Writes must stop then. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

export interface Retention {
  /** Milliseconds. Open drift and running passes are kept. */
  readonly age: number;
  /** Maximum history rows per target. */
  readonly rows: number;
  /** Maximum rows per call. With 500, a call takes milliseconds. */
  readonly batch: number;
}

export interface Plans {
  /** Returns the newest plan with that digest. */
  get(target: string, digest: string): Promise<(PlanRecord & { readonly planned: number }) | undefined>;
  /** Returns the digests of the target's plans with that prefix. */
  beginning(target: string, start: string): Promise<readonly string[]>;
}

export interface Pauses {
  /** Replaces the pause of that target. */
  pause(pause: Pause): Promise<void>;
  /** Returns false if that target was not paused. */
  resume(target: string | undefined, by: string, now: number): Promise<boolean>;
  /** Returns the pauses that are active at `now`. */
  active(now: number): Promise<readonly Pause[]>;
}

export interface Approvals {
  approve(approval: Approval): Promise<void>;
  get(target: string, digest: string): Promise<Approval | undefined>;
  /** Approvals of a target that begin with a digest and continue: allowances (`allowanceKey`). */
  allowances(target: string): Promise<readonly Approval[]>;
  /** Removes an approval. Returns false if it is gone, so that it counts only once. */
  withdraw(target: string, digest: string): Promise<boolean>;
}

/** Commit whose apply failed on a target. */
export interface Hold {
  readonly target: string;
  readonly commit: string;
  readonly attempts: number;
  /** Undefined: on hold until a new commit. */
  readonly nextTry: number | undefined;
  readonly reason: string;
  readonly at: number;
}

export interface Holds {
  /** Replaces the hold of the target. */
  hold(hold: Hold): Promise<void>;
  get(target: string): Promise<Hold | undefined>;
  all(): Promise<readonly Hold[]>;
  release(target: string): Promise<void>;
}

/** Active commit of a source: the last one that loaded completely with the required signature. */
interface GoodCommit {
  readonly source: string;
  readonly commit: string;
  readonly at: number;
}

interface RefusedCommit {
  readonly source: string;
  readonly commit: string;
  readonly author: string | undefined;
  /** Error code. */
  readonly code: string;
  readonly message: string;
  readonly at: number;
}

export interface Sources {
  lastGood(source: string): Promise<GoodCommit | undefined>;
  accept(good: GoodCommit): Promise<void>;
  /** Adds a history row. The last good commit does not change. A repeated call for the same source and commit adds no row. */
  refuse(refused: RefusedCommit): Promise<void>;
}

/** State of a target at its last full pass. If it is equal, nothing has changed (docs/agent.md#what-it-does). */
export interface Mark {
  readonly target: string;
  readonly commit: string | undefined;
  /** Digest of inputs outside the commit: referenced values and fingerprints of secrets. */
  readonly inputs: string;
  /** Digest of the live reply. */
  readonly live: string;
  /** Version of the program. */
  readonly version: string;
  /** Number of skipped passes since. */
  readonly skips: number;
  /** First day (yyyy-mm-dd) after the end of an ignore. */
  readonly until: string | undefined;
}

export interface Marks {
  get(target: string): Promise<Mark | undefined>;
  set(mark: Mark): Promise<void>;
}

/**
 * State that a channel reported last, so that only changes are sent, also after a restart.
 * Exported for tests that create one.
 */
export interface Notified {
  readonly channel: string;
  readonly subject: string;
  readonly state: string;
  readonly at: number;
}

export interface Notifications {
  last(channel: string, subject: string): Promise<Notified | undefined>;
  /** Returns the last notifications of all subjects of a channel. */
  all(channel: string): Promise<readonly Notified[]>;
  sent(notified: Notified): Promise<void>;
}
