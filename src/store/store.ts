import type { Ledger } from "../ledger.js";
import type { SharedWork } from "./shared/shared-work.js";

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
  readonly ledger: Ledger;
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

export type PassKind = "drift" | "plan" | "reconcile";
export type Trigger = "timer" | "git" | "webhook" | "command" | "start";

export interface PassStart {
  readonly target: string;
  readonly pass: PassKind;
  readonly trigger: Trigger;
  readonly started: number;
  /** Commit of the desired state. */
  readonly commit: string | undefined;
  /** `host:pid`, see `runnerName`. */
  readonly runner: string;
}

export type PassOutcome = "in-sync" | "pending" | "applied" | "refused" | "failed" | "partial" | "skipped" | "interrupted";

/** How a pass ended, and everything that it found and did. `passEnd` makes it from a `TargetOutcome`. */
export interface PassEnd {
  readonly ended: number;
  readonly outcome: PassOutcome;
  readonly exitCode: number | undefined;
  /** Why it was skipped or failed, one line. */
  readonly reason: string | undefined;
  /** Milliseconds by stage. */
  readonly durations: Readonly<Record<string, number>>;
  readonly plan?: PlanRecord | undefined;
  /** Acknowledged by the platform. */
  readonly operations?: readonly OperationRecord[] | undefined;
  readonly job?: JobRecord | undefined;
  readonly refusals?: readonly RefusalRecord[] | undefined;
  /** Undefined: this pass did not look at running. */
  readonly drift?: DriftSeen | undefined;
  /** Drift that this pass has put right; counted by the self-heal guard. */
  readonly heals?: readonly DriftKey[] | undefined;
  /** Error as `errorView` of src/report/json.ts makes it. */
  readonly error?: unknown;
  /** Kept for the next pass's cheap skip; null forgets the one before. */
  readonly mark?: Mark | null | undefined;
}

export interface Passes {
  /** Durable before it resolves, so that a killed pass is seen as interrupted. Gives the pass's id. */
  start(pass: PassStart): Promise<number>;
  /** All rows of the pass, or none. */
  finish(id: number, end: PassEnd): Promise<void>;
  /** A pass that was over before it began (a cheap skip), in one write. */
  record(start: PassStart, end: PassEnd): Promise<number>;
  /** The newest finished pass of each target, be it `pass` or `skip`. */
  latest(): Promise<readonly HistoryEntry[]>;
}

export interface PlanRecord {
  readonly digest: string;
  /** `missing`, `extra` … to how many. */
  readonly changes: Readonly<Record<string, number>>;
  readonly operations: number;
  readonly refusals: number;
  readonly commitOnly: boolean;
  /** The plan part of the JSON report, as text; undefined when it was longer than the store keeps. */
  readonly json: string | undefined;
}

export interface OperationRecord {
  readonly action: string;
  readonly path: string;
  readonly phase: string;
  readonly acknowledged: number;
}

export interface JobRecord {
  /** The platform's number of the commit job. */
  readonly job: string | undefined;
  readonly result: string;
  readonly lines: readonly string[];
}

export interface RefusalRecord {
  readonly guard: string;
  readonly message: string;
  readonly path: string | undefined;
}

export type DriftKind = "missing" | "extra" | "differs" | "order" | "renamed";

/** One drift is known by its place and kind: the same again, an hour later, is the same drift. */
export interface DriftKey {
  readonly path: string;
  readonly change: DriftKind;
}

export interface DriftRecord extends DriftKey {
  readonly author: string | undefined;
  /** In the target's own clock. */
  readonly authorTime: string | undefined;
  /** The change as the JSON report shows it. */
  readonly view: unknown;
}

/** What a look at running found. Open drift that is not among `items` is over. */
export interface DriftSeen {
  readonly items: readonly DriftRecord[];
  /** Only drift at or below this XPath was looked for; the rest stays as it is. */
  readonly only?: string | undefined;
}

export interface OpenDrift extends DriftRecord {
  readonly id: number;
  readonly target: string;
  readonly firstSeen: number;
  readonly lastSeen: number;
}

/** Open drift of one target, counted. */
export interface DriftTotal {
  readonly count: number;
  readonly oldest: number;
  /** The first and the last of those who caused it, by name; none where nobody is known. */
  readonly authors: readonly string[];
  /** How many of them there are. */
  readonly authorCount: number;
}

export interface DriftMemory {
  /** Drift that is open, oldest first; of one target, or of all. */
  open(target?: string): Promise<readonly OpenDrift[]>;
  /** A target to how much is open, since when and by whom; targets without open drift are left out. */
  totals(): Promise<ReadonlyMap<string, DriftTotal>>;
  /** How often each drift of the target was healed since that time, keyed by `driftKey`. */
  heals(target: string, since: number): Promise<ReadonlyMap<string, number>>;
}

/** A drift as the key of a map. */
export function driftKey(drift: DriftKey): string {
  return `${drift.change} ${drift.path}`;
}

export function runnerName(runner: Pick<Runner, "host" | "pid">): string {
  return `${runner.host}:${runner.pid}`;
}

export interface Plans {
  /** The newest plan of that digest. */
  get(target: string, digest: string): Promise<(PlanRecord & { readonly planned: number }) | undefined>;
}

/** `target` undefined: all targets. */
export interface Pause {
  readonly target: string | undefined;
  readonly reason: string;
  readonly by: string;
  readonly since: number;
  /** Undefined: until resumed. */
  readonly until: number | undefined;
}

export interface Pauses {
  /** Replaces the pause of that target. */
  pause(pause: Pause): Promise<void>;
  /** False when that target was not paused. */
  resume(target: string | undefined, by: string, now: number): Promise<boolean>;
  /** Those in force at `now`. */
  active(now: number): Promise<readonly Pause[]>;
}

export interface Approval {
  readonly target: string;
  readonly digest: string;
  readonly by: string;
  readonly at: number;
  /** Where it was given: a pull request's address, `command`. */
  readonly source: string | undefined;
}

export interface Approvals {
  approve(approval: Approval): Promise<void>;
  get(target: string, digest: string): Promise<Approval | undefined>;
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
export interface GoodCommit {
  readonly source: string;
  readonly commit: string;
  readonly at: number;
}

export interface RefusedCommit {
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

/** What the last full pass of a target saw: equal marks mean that nothing moved (PLAN-AND-APPLY.md, cheap skip). */
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

/** The state that a channel was last told of, so that only changes are sent, also after a restart. */
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

/** `skip` is a pass that looked at nothing, because nothing had moved: most rows of a quiet fleet. */
export const historyKinds = [
  "pass",
  "skip",
  "plan",
  "operation",
  "job",
  "refusal",
  "drift",
  "heal",
  "hold",
  "commit",
  "pause",
  "resume",
  "approval",
  "alarm",
] as const;
export type HistoryKind = (typeof historyKinds)[number];

/** One row of the history. What fields mean for each kind is in docs/history.md. */
export interface HistoryEntry {
  /** Grows with each row written. */
  readonly id: number;
  readonly kind: HistoryKind;
  /** A pass: its start. Drift: first seen. */
  readonly at: number;
  /** A pass: its end. Drift: when it was over. */
  readonly ended: number | undefined;
  /** Drift: last seen. */
  readonly seen: number | undefined;
  readonly target: string | undefined;
  /** Id of the pass that wrote the row. */
  readonly pass: number | undefined;
  readonly path: string | undefined;
  readonly author: string | undefined;
  /** One word: a pass's outcome, an operation's action, a drift's kind, a refusal's guard. */
  readonly outcome: string | undefined;
  readonly summary: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface HistoryQuery {
  readonly target?: string | undefined;
  /** Inclusive. */
  readonly since?: number | undefined;
  /** Exclusive. */
  readonly until?: number | undefined;
  /** Rows at or below this canonical XPath. */
  readonly path?: string | undefined;
  readonly author?: string | undefined;
  readonly kinds?: readonly HistoryKind[] | undefined;
  readonly limit: number;
  /** `next` of the page before. */
  readonly cursor?: string | undefined;
}

export interface HistoryPage {
  /** Newest first. */
  readonly entries: readonly HistoryEntry[];
  /** Undefined on the last page. */
  readonly next: string | undefined;
}

export interface History {
  find(query: HistoryQuery): Promise<HistoryPage>;
  /** A row that belongs to no pass, for example an `alarm`. */
  note(entry: {
    readonly kind: HistoryKind;
    readonly at: number;
    readonly target?: string | undefined;
    readonly path?: string | undefined;
    readonly author?: string | undefined;
    readonly outcome?: string | undefined;
    readonly summary: string;
    readonly detail?: Readonly<Record<string, unknown>> | undefined;
  }): Promise<number>;
}
