import type { RuleEnd } from "../../desired/rule-end.js";
import type { ActiveRuns } from "../../engine/active-runs.js";
import type { Allowance } from "../../engine/allowance.js";
import type { Approval, Pause } from "../../engine/pause.js";
import type { TargetOutcome } from "../../outcome/outcome.js";
import type { AccessQuestion } from "../access-process.js";
import type { TargetFacts } from "../controls.js";
import type { CommitFacts } from "../git/describe.js";
import type { RolloutStatus } from "../rollouts.js";
import type { Unanswered } from "../visit-parts.js";
import type { AccessView } from "./view.js";

/** @internal Exported for tests that make one. */
export type RequestedVisit = "plan" | "reconcile";

/** Actions and queries that the page sends to its agent. */
export interface Controls {
  /** Returns the targets of the active commit. */
  targets(): ReadonlyMap<string, TargetFacts>;
  commit(): string | undefined;
  /** Returns undefined if the clone does not contain the commit. */
  describe(commit: string): Promise<CommitFacts | undefined>;
  readonly source: string;
  /** Returns the folder of `plumbline.yaml` in the repository. Empty for the root. */
  folder(): string;
  pauses(): Promise<readonly Pause[]>;
  /** Returns undefined if no roll-out is unfinished. */
  rollout(): Promise<RolloutStatus | undefined>;
  /** Returns the targets that did not answer, with their next visits. */
  unanswered(): Promise<ReadonlyMap<string, Unanswered>>;
  /** Returns the rules of a target whose end date has passed or is near, the earliest first. */
  ruleEnds(target: string): readonly RuleEnd[];
  /**
   * Pauses every runner (docs/contributing/decisions.md#22-pause-notices-are-read-before-each-write). Returns the runs that had already started to write, and the
   * targets for which this is unknown.
   */
  pause(pause: Pause): Promise<readonly ActiveRuns[]>;
  /** Returns false if there was no pause to end. */
  resume(target: string | undefined, by: string): Promise<boolean>;
  /** Approves a plan for every runner, and starts to apply it. @throws PlumblineError `notices-unwritable` */
  approve(approval: Approval): Promise<void>;
  /** Overrides a refusal for every runner, and retries the plan. @throws PlumblineError `notices-unwritable` */
  allow(allowance: Allowance): Promise<void>;
  /** Visits the target as soon as possible. */
  visit(target: string, requested: RequestedVisit): Promise<void>;
  /** Returns whether access requests can be answered for a kind of target. */
  hasDesigns(kind: string): boolean;
  /** Answers an access request about the active commit, and proposes its edit on demand. Does not block the agent. */
  answerAccess(question: AccessQuestion): Promise<AccessView>;
  /** Returns whether OpenStack and a controller are configured, so that they can be compared. */
  hasAudit(): boolean;
  /** Reads and compares both. */
  audit(): Promise<readonly TargetOutcome[]>;
}
