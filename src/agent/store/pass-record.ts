import type { StandingAssertions } from "../../outcome/assertion.js";
import type { HistoryEntry } from "../../outcome/history.js";
import type { Level } from "../../outcome/levels.js";
import type { DriftKey, DriftSeen } from "./drift-record.js";
import type { Mark } from "./store.js";

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
  /** Why it was skipped, failed or found something to be done, one line. */
  readonly reason: string | undefined;
  /** What watched firewalls lack, in words. */
  readonly behind?: string | undefined;
  /** Of a manager and its firewalls. */
  readonly levels?: readonly Level[] | undefined;
  /** Of a look while a commit waits: what differs because of that alone, and what it waits for. */
  readonly waiting?: { readonly changes: number; readonly held: string | undefined } | undefined;
  /** Milliseconds by stage. */
  readonly durations: Readonly<Record<string, number>>;
  readonly plan?: PlanRecord | undefined;
  /** Acknowledged by the platform. */
  readonly operations?: readonly OperationRecord[] | undefined;
  readonly job?: JobRecord | undefined;
  readonly refusals?: readonly RefusalRecord[] | undefined;
  /** Undefined: this pass did not look at running. */
  readonly drift?: DriftSeen | undefined;
  /** How assertions stand; null where there are none. Undefined: this pass did not judge them by what is in force. */
  readonly asserted?: StandingAssertions | null | undefined;
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
  /** The newest finished pass of each target that was not skipped, with the process that ran it (`runnerName`). */
  latestFull(): Promise<readonly FullPass[]>;
  /** When the newest pass of each target ended that was neither failed nor interrupted. */
  lastReached(): Promise<ReadonlyMap<string, number>>;
}

/** A finished pass that compared the target, or tried to. */
export interface FullPass {
  readonly entry: HistoryEntry;
  readonly runner: string;
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

interface OperationRecord {
  readonly action: string;
  readonly path: string;
  readonly phase: string;
  readonly acknowledged: number;
}

interface JobRecord {
  /** The platform's number of the commit job. */
  readonly job: string | undefined;
  readonly result: string;
  readonly lines: readonly string[];
}

interface RefusalRecord {
  readonly guard: string;
  readonly message: string;
  readonly path: string | undefined;
}
