import type { Path } from "../core/tree/path.js";
import type { AgentConfiguration } from "../desired/configuration/agent.js";
import type { TargetConfiguration } from "../desired/configuration/configuration.js";
import type { Windows } from "../engine/change-windows.js";
import type { TargetContext } from "../engine/pass/context.js";
import type { WriteOptions, Writers } from "../engine/pass/options.js";
import type { AssertionState } from "../outcome/assertion.js";
import type { AgentNotices } from "./agent-notices.js";
import type { AgentClock } from "./clock.js";
import type { Contexts } from "./contexts.js";
import type { DriftTracker } from "./drift-tracker.js";
import type { EventStream, HoldReason, PassFacts, PassResult } from "./events.js";
import type { HealGuard } from "./heal-guard.js";
import type { Recorder } from "./recorder.js";
import type { WaveResult } from "./rollout.js";
import type { Source } from "./source.js";
import type { PassKind, PassStart, Trigger } from "./store/store.js";
import type { Progress } from "./value-dependencies.js";

/** Dependencies that all visits share. */
export interface VisitParts {
  readonly source: Source;
  readonly contexts: Contexts;
  readonly recorder: Recorder;
  readonly events: EventStream;
  readonly clock: AgentClock;
  readonly writers: Writers;
  readonly write: WriteOptions;
  readonly notices: AgentNotices;
  readonly tracker: DriftTracker;
  readonly healGuard: HealGuard;
  /** Settings of the active commit. */
  readonly settings: () => AgentConfiguration;
  readonly windows: () => Windows;
  /** The commit that roll-out and targets use. A newer active commit may not be taken up yet. */
  readonly taken: () => string | undefined;
  /** Returns whether the roll-out permits a write to the target now. */
  readonly hasTurn: (target: string) => boolean;
  /** Number of targets in the first wave of the commit, including this one. Undefined after the first wave. */
  readonly atOnce: (target: string) => Promise<number | undefined>;
  /** Returns the progress of other targets with the active commit. Targets that are not in the map are settled. */
  readonly progress: (targets: readonly string[]) => Promise<ReadonlyMap<string, Progress>>;
  /** Returns the last commit that changed a target, as all agents know it. The default is the knowledge of this process. */
  readonly since?: ((target: string) => string | undefined) | undefined;
  /** Version of Plumbline. */
  readonly version: string;
  /** `host:pid`. */
  readonly runner: string;
  /** Keeps the pull request for the drift of a target with the mode `propose`, given the number of differences. */
  readonly propose?: ((context: TargetContext, drifts: number) => Promise<void>) | undefined;
  /** Keeps the pull request that removes the ended rules of a target. */
  readonly proposeEnds?: ((context: TargetContext) => Promise<void>) | undefined;
}

/** State of a target between visits. */
export interface TargetState {
  /** A commit changes the target and is not applied yet. */
  commitPending: boolean;
  /** The last commit that was tried on the target, or blocked by more than the order of the roll-out. */
  tried: string | undefined;
  /** A user requested a plan. */
  planWanted: boolean;
  held: HoldReason | undefined;
  /** Refusals that were reported. */
  reportedRefusals: string | undefined;
  /** Ends of ignores that were reported. */
  reportedIgnores: string | undefined;
  /** Reported states of assertions, by rulebase and name. */
  reportedAssertions: ReadonlyMap<string, AssertionState> | undefined;
  /** A commit whose checks are undecided, and when it was first seen, in monotonic milliseconds. */
  undecided: { readonly run: string; readonly seen: number } | undefined;
  /** Consecutive visits that failed before they had a plan. */
  unreachable: number;
  /** When the first of them ended, in milliseconds since 1970. */
  unreachableSince: number | undefined;
  /** Consecutive visits that found differences but could not read the ledger. */
  unreadLedgers: number;
  /** The commit that this agent, or one that shares its store, has applied to the target, as `Visit.since`. */
  appliedCommit: string | undefined;
  /** Consecutive visits that found a commit which is not taken up yet. */
  postponements: number;
  /** Consecutive passes whose writes did not last. */
  undone: number;
  /** Data for a cheap check for changes, without loading the target. */
  known: { readonly since: string; readonly subtrees: readonly Path[]; readonly configuration: TargetConfiguration } | undefined;
}

export function newState(): TargetState {
  return {
    commitPending: false,
    tried: undefined,
    planWanted: false,
    held: undefined,
    reportedRefusals: undefined,
    reportedIgnores: undefined,
    reportedAssertions: undefined,
    undecided: undefined,
    unreachable: 0,
    unreachableSince: undefined,
    unreadLedgers: 0,
    appliedCommit: undefined,
    postponements: 0,
    undone: 0,
    known: undefined,
  };
}

/** Result of a visit. */
export interface Visited {
  readonly result: PassResult;
  /** Milliseconds until the next visit. The default is the usual interval. */
  readonly retryIn?: number | undefined;
  /** Result for a roll-out that waits for the target. */
  readonly wave: WaveResult;
  /** The target was not read, and its work is still to be done. */
  readonly isPostponed?: boolean | undefined;
}

/** Target that did not answer. */
export interface Unanswered {
  /** Consecutive visits without an answer. */
  readonly visits: number;
  /** End of the first of them in milliseconds since 1970. Undefined if an older version recorded it. */
  readonly since: number | undefined;
  /** Time of the next visit in milliseconds since 1970. Undefined while a visit is running. */
  readonly next: number | undefined;
}

/** Returns whether the next visit continues the work of this one. */
export function isRetried({ retryIn, result }: Visited, { commitPending }: TargetState): boolean {
  return commitPending || result === "failed" || (retryIn !== undefined && result === "held");
}

/** A running visit. */
export interface Visit {
  readonly target: string;
  readonly trigger: Trigger;
  readonly state: TargetState;
  readonly context: TargetContext;
  /** The last commit that changed the target, at the time of loading. */
  readonly since: string | undefined;
}

/** A visit. Without `context` its target did not load. */
type Begun = Pick<Visit, "target" | "trigger"> & Partial<Pick<Visit, "context">>;

/** Returns the commit of a visit. A newer commit may be active by now. */
export function commitOf({ context }: Partial<Pick<Visit, "context">>, { source }: Pick<VisitParts, "source">): string | undefined {
  return context === undefined ? source.inForce?.commit : context.checkout.commit;
}

/** Returns the last commit that changed a target, as all agents know it. */
export function sinceOf(target: string, { since, source }: VisitParts): string | undefined {
  return since?.(target) ?? source.inForce?.targets.get(target)?.since;
}

/** Notes that the commit of the visit is applied. A newer one that arrived during the visit is still pending. */
export function commitIsDone({ target, state, since }: Visit, parts: VisitParts): void {
  state.commitPending = sinceOf(target, parts) !== since;
}

export function factsOf(visit: Begun, parts: VisitParts, pass: number | undefined): PassFacts {
  const { target, trigger } = visit;
  return { pass, target, trigger, commit: commitOf(visit, parts) };
}

export function passStart(visit: Begun, pass: PassKind, parts: VisitParts): PassStart {
  const { target, trigger } = visit;
  return { target, trigger, pass, started: parts.clock.now(), commit: commitOf(visit, parts), runner: parts.runner };
}
