import type { Path } from "../core/tree/path.js";
import type { DesiredNode } from "../desired/model.js";
import type { Dangling } from "./constraints.js";
import type { Change, Finding } from "./diff/change.js";
import type { MeaningChange, PlanInput, PlannedOperation, Refusal } from "./model.js";
import type { UnsolvedCycle } from "./unsolved-cycle.js";

/** The guards that judge a plan while it is made. `src/guards` implements them. */
export interface PlanGuards {
  /** Refuses parts of the desired state before the comparison. The plan omits these parts. */
  beforeComparison(facts: ComparisonFacts): readonly Refusal[];
  /** Refuses the plan or parts of it. */
  planned(facts: PlannedFacts): readonly Refusal[];
}

/** What is known before desired state and live configuration are compared. */
export interface ComparisonFacts {
  readonly input: PlanInput;
  /** Root element in the form of the live tree, ignores applied. */
  readonly declared: DesiredNode;
  /** Root element as the documents declare it. */
  readonly written: DesiredNode;
}

/** The input of a plan, and its result so far. */
export interface PlannedFacts {
  readonly input: PlanInput;
  /** Root element, ignores applied. */
  readonly desired: DesiredNode;
  readonly changes: readonly Change[];
  readonly findings: readonly Finding[];
  readonly meaning: readonly MeaningChange[];
  readonly operations: readonly PlannedOperation[];
  readonly dangling: readonly Dangling[];
  /** Match lists that would end up empty. */
  readonly emptied: readonly Path[];
  readonly knots: readonly UnsolvedCycle[];
  /** Entries that the plan deletes. */
  readonly deletions: readonly Path[];
}
