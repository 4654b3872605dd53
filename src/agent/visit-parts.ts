import type { Path } from "../core/tree/path.js";
import type { AgentConfiguration } from "../desired/configuration/agent.js";
import type { TargetConfiguration } from "../desired/configuration.js";
import type { TargetContext } from "../engine/pass/context.js";
import type { WriteOptions, Writers } from "../engine/pass/options.js";
import type { Windows } from "../engine/windows.js";
import type { AssertionState } from "../outcome/assertion.js";
import type { AgentNotices } from "./agent-notices.js";
import type { AgentClock } from "./clock.js";
import type { Contexts } from "./contexts.js";
import type { DriftTracker } from "./drift-tracker.js";
import type { EventStream, HoldReason, KnownDrift, PassFacts, PassResult } from "./events.js";
import type { Progress } from "./follows.js";
import type { HealGuard } from "./heal-guard.js";
import type { Recorder } from "./record.js";
import type { WaveResult } from "./rollout.js";
import type { Source } from "./source.js";
import type { Mark, PassEnd, PassKind, PassStart, Trigger } from "./store/store.js";

/** Everything that visits to targets share. */
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
  /** Those of the commit in force. */
  readonly settings: () => AgentConfiguration;
  readonly windows: () => Windows;
  /** The commit that roll-out and targets are told of: one that has come into force may not have been taken up yet. */
  readonly taken: () => string | undefined;
  /** Whether a roll-out lets the target be written now. */
  readonly hasTurn: (target: string) => boolean;
  /** How many targets the commit in force is written to at once, this one among them; undefined where others had it before. */
  readonly atOnce: (target: string) => Promise<number | undefined>;
  /** How far other targets are with the commit in force; those not named are settled. */
  readonly progress: (targets: readonly string[]) => Promise<ReadonlyMap<string, Progress>>;
  /** The commit that touched a target last, as far as all agents know; what this process knows of it when left out. */
  readonly since?: ((target: string) => string | undefined) | undefined;
  /** Where the store was asked for what a quiet pass needs before it began, and is told of it as the target is given back. */
  readonly quietly?: QuietStore | undefined;
  /** Of the program. */
  readonly version: string;
  /** `host:pid`. */
  readonly runner: string;
  /** Makes a pull request of drift, where a target's mode is `propose`. */
  readonly propose?: ((context: TargetContext, drift: readonly KnownDrift[]) => Promise<void>) | undefined;
}

interface QuietStore {
  /** What the last full pass left, as read with the lease. */
  readonly mark: Mark | undefined;
  /** Writes down a pass that found nothing moved and gives the target back, as one; false where the store did not take it. */
  readonly end: (quiet: { readonly start: PassStart; readonly end: PassEnd; readonly mark: Mark }, visited: Visited) => Promise<boolean>;
}

/** What is remembered of one target between visits. */
export interface TargetState {
  /** A commit has touched the target and is not applied yet. */
  commitPending: boolean;
  /** The last commit that touched the target and that was tried on it, or kept from it by more than its turn. */
  tried: string | undefined;
  /** Somebody asked for a plan. */
  planWanted: boolean;
  held: HoldReason | undefined;
  /** Refusals that events have told of. */
  refusalsTold: string | undefined;
  /** Ends of ignores that events have told of. */
  ignoresTold: string | undefined;
  /** What events have told of assertions, by rulebase and name. */
  assertionsTold: ReadonlyMap<string, AssertionState> | undefined;
  /** A commit that its checks have not decided on, and when it was seen first, in monotonic milliseconds. */
  undecided: { readonly run: string; readonly seen: number } | undefined;
  /** Visits in a row that could not even plan. */
  unreachable: number;
  /** The commit that this agent, or one that shares its store, has applied to the target, as `Visit.since`. */
  brought: string | undefined;
  /** Consecutive visits that found a commit which is not taken up yet. */
  putOff: number;
  /** Consecutive passes that wrote to the target and left nothing lasting there. */
  undone: number;
  /** How to look whether anything moved, without loading the target. */
  known: { readonly since: string; readonly subtrees: readonly Path[]; readonly configuration: TargetConfiguration } | undefined;
}

export function newState(): TargetState {
  return {
    commitPending: false,
    tried: undefined,
    planWanted: false,
    held: undefined,
    refusalsTold: undefined,
    ignoresTold: undefined,
    assertionsTold: undefined,
    undecided: undefined,
    unreachable: 0,
    brought: undefined,
    putOff: 0,
    undone: 0,
    known: undefined,
  };
}

/** How a visit came out. */
export interface Visited {
  readonly result: PassResult;
  /** Milliseconds until the next one where that is not the usual interval. */
  readonly again?: number | undefined;
  /** What it means to a roll-out that waits for the target. */
  readonly wave: WaveResult;
  /** Nothing was looked at, and what the visit was for is still to be done. */
  readonly isPutOff?: boolean | undefined;
}

/** One visit under way. */
export interface Visit {
  readonly target: string;
  readonly trigger: Trigger;
  readonly state: TargetState;
  readonly context: TargetContext;
  /** The commit that touched the target last when it was loaded. */
  readonly since: string | undefined;
}

/** A visit, or one whose target did not load. */
type Begun = Pick<Visit, "target" | "trigger"> & Partial<Pick<Visit, "context">>;

/** The commit that a visit works with; another one may have come into force meanwhile. */
export function commitOf({ context }: Partial<Pick<Visit, "context">>, { source }: Pick<VisitParts, "source">): string | undefined {
  return context === undefined ? source.inForce?.commit : context.checkout.commit;
}

/** The commit that touched a target last, as far as all agents know. */
export function sinceOf(target: string, { since, source }: VisitParts): string | undefined {
  return since?.(target) ?? source.inForce?.targets.get(target)?.since;
}

/** The target is as its commit says. One that came in during the visit is still to be applied. */
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
