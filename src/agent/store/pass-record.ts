import type { CurrentAssertions } from "../../outcome/assertion.js";
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

export type PassOutcome = "in-sync" | "drifted" | "pending" | "applied" | "refused" | "failed" | "partial" | "skipped" | "interrupted";

/** Result of a pass with all its findings. `passEnd` creates it from a `TargetOutcome`. */
export interface PassEnd {
  readonly ended: number;
  readonly outcome: PassOutcome;
  readonly exitCode: number | undefined;
  /** Reason for a skip, a failure or open work, in one line. */
  readonly reason: string | undefined;
  /** Open work on watched firewalls, as text. */
  readonly behind?: string | undefined;
  /** Number of live entries that no document declares, next to declared ones. Undefined if the pass did not compare the complete target. */
  readonly unmanaged?: number | undefined;
  /** Levels of a manager and its firewalls. */
  readonly levels?: readonly Level[] | undefined;
  /** Set while a commit is pending: the number of its changes, and the reason for the hold. */
  readonly waiting?: { readonly changes: number; readonly held: string | undefined } | undefined;
  /** Milliseconds by stage. */
  readonly durations: Readonly<Record<string, number>>;
  readonly plan?: PlanRecord | undefined;
  /** Operations that the platform has acknowledged. */
  readonly operations?: readonly OperationRecord[] | undefined;
  readonly job?: JobRecord | undefined;
  readonly refusals?: readonly RefusalRecord[] | undefined;
  /** Undefined if the pass did not read the running configuration. */
  readonly drift?: DriftSeen | undefined;
  /** Result of the assertions, or null without assertions. Undefined if the pass did not check them against the running configuration. */
  readonly asserted?: CurrentAssertions | null | undefined;
  /** Drift that this pass has healed. The self-heal guard counts it. */
  readonly heals?: readonly DriftKey[] | undefined;
  /** Error in the form of `errorView` in src/report/json.ts. */
  readonly error?: unknown;
  /** State with which the next pass may be skipped. Null deletes the previous one. */
  readonly mark?: Mark | null | undefined;
}

export interface Passes {
  /** Stores the start and returns the id. It is durable before it resolves, so that a killed pass is recorded as interrupted. */
  start(pass: PassStart): Promise<number>;
  /** Stores all rows of the pass in one transaction. */
  finish(id: number, end: PassEnd): Promise<void>;
  /** Stores a complete pass, such as a skipped one, in one write. */
  record(start: PassStart, end: PassEnd): Promise<number>;
  /** Returns the newest finished pass of each target, including skipped ones. */
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
  /** Number of changes by kind, such as `missing` or `extra`. */
  readonly changes: Readonly<Record<string, number>>;
  readonly operations: number;
  readonly refusals: number;
  readonly commitOnly: boolean;
  /** Plan part of the JSON report. Undefined if it was too long to be stored. */
  readonly json: string | undefined;
}

interface OperationRecord {
  readonly action: string;
  readonly path: string;
  readonly phase: string;
  readonly acknowledged: number;
}

interface JobRecord {
  /** Number of the commit job on the platform. */
  readonly job: string | undefined;
  readonly result: string;
  readonly lines: readonly string[];
}

interface RefusalRecord {
  readonly guard: string;
  readonly message: string;
  readonly path: string | undefined;
}
