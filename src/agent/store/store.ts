import type { LedgerStore } from "../../engine/ledger/store.js";
import type { Ledger } from "../../engine/ledger.js";
import type { Approval, Pause } from "../../engine/pause.js";
import type { History } from "../../outcome/history.js";
import type { DriftMemory } from "./drift-record.js";
import type { Passes, PlanRecord } from "./pass-record.js";
import type { SharedWork } from "./shared/shared-work.js";
import type { TrafficStore } from "./traffic.js";

export * from "./drift-record.js";
export * from "./pass-record.js";

/**
 * What an agent remembers (docs/history.md). Times are milliseconds since 1970 UTC. Nothing in here is secret: values
 * come from the same redacted views as reports.
 *
 * Every method is one transaction. All may throw a PlumblineError: `store-full`, `store-busy`, `store-unreachable`,
 * `store-damaged`. An agent that cannot write goes on reporting drift and applies nothing.
 */
export interface Store {
  /** For messages: a file, or a database address without its password. */
  readonly place: string;
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
  /** The texts of the same. */
  readonly ledgers: LedgerStore;
  /** Work that many agents share; undefined where a store has one agent (SQLite). */
  readonly shared: SharedWork | undefined;
  /**
   * Makes this process the one agent of the store, until `release` or the death of the process.
   * Passes that an agent before it left unfinished become `interrupted`.
   * @throws PlumblineError `store-claimed`, which names the other agent.
   */
  claim(runner: Runner, now: number): Promise<Claim>;
  /** Deletes at most one batch of what is older or more than wanted; true when there is more to delete. */
  prune(retention: Retention, now: number): Promise<boolean>;
  /** How large it is by now. */
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
  /** Of the history. */
  readonly rows: number;
}

/** A process that works: an agent, or a command run by hand. */
export interface Runner {
  /** Told from any other host or container; need not mean anything to people. */
  readonly host: string;
  /** The name that people know the host by; the system's own when left out. */
  readonly hostname?: string | undefined;
  readonly pid: number;
  readonly started: number;
  readonly version: string;
}

export function runnerName(runner: Pick<Runner, "host" | "pid">): string {
  return `${runner.host}:${runner.pid}`;
}

export interface Claim {
  /** Aborted when the store no longer holds it for us (the database went away): write no more. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

export interface Retention {
  /** Milliseconds. Drift that is open, and passes that run, stay. */
  readonly age: number;
  /** History rows a target. */
  readonly rows: number;
  /** Rows deleted in one call; 500 keeps each call in the range of milliseconds. */
  readonly batch: number;
}

export interface Plans {
  /** The newest plan of that digest. */
  get(target: string, digest: string): Promise<(PlanRecord & { readonly planned: number }) | undefined>;
  /** Digests of the target's plans that begin so. */
  beginning(target: string, start: string): Promise<readonly string[]>;
}

export interface Pauses {
  /** Replaces the pause of that target. */
  pause(pause: Pause): Promise<void>;
  /** False when that target was not paused. */
  resume(target: string | undefined, by: string, now: number): Promise<boolean>;
  /** Those in force at `now`. */
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

/** A commit whose apply failed on a target. */
export interface Hold {
  readonly target: string;
  readonly commit: string;
  readonly attempts: number;
  /** Undefined: held until git moves. */
  readonly nextTry: number | undefined;
  readonly reason: string;
  readonly at: number;
}

export interface Holds {
  /** Replaces the target's hold. */
  hold(hold: Hold): Promise<void>;
  get(target: string): Promise<Hold | undefined>;
  all(): Promise<readonly Hold[]>;
  release(target: string): Promise<void>;
}

/** The commit of a source that is in force: the last that loaded whole and whose signature was right. */
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
  /** A history row; the last good commit stays. Told again for the same source and commit, it is no second row. */
  refuse(refused: RefusedCommit): Promise<void>;
}

/** What the last full pass of a target saw: equal marks mean that nothing moved (docs/agent.md#what-it-does). */
export interface Mark {
  readonly target: string;
  readonly commit: string | undefined;
  /** Digest of the desired inputs that are not in the commit: referred values, secrets' fingerprints. */
  readonly inputs: string;
  /** Digest of the live reply. */
  readonly live: string;
  /** Of the program. */
  readonly version: string;
  /** Passes skipped since. */
  readonly skips: number;
  /** The first day (yyyy-mm-dd) on which an `until` is over. */
  readonly until: string | undefined;
}

export interface Marks {
  get(target: string): Promise<Mark | undefined>;
  set(mark: Mark): Promise<void>;
}

/**
 * The state that a channel was last told of, so that only changes are sent, also after a restart.
 *
 * @internal Exported for tests that make one.
 */
export interface Notified {
  readonly channel: string;
  readonly subject: string;
  readonly state: string;
  readonly at: number;
}

export interface Notifications {
  last(channel: string, subject: string): Promise<Notified | undefined>;
  sent(notified: Notified): Promise<void>;
}
