import type { Path } from "../core/tree/path.js";
import type { DesiredNode } from "../desired/model.js";
import type { Dangling } from "../plan/constraints.js";
import type { Change, Finding } from "../plan/diff/change.js";
import type { PlanInput, PlannedOperation } from "../plan/model.js";
import type { UnsolvedCycle } from "../plan/unsolved-cycle.js";
import type { Allowed } from "./registry.js";

/** Input of the guards: the input of the plan, and its result so far. */
export interface GuardContext {
  readonly input: PlanInput;
  readonly allow: Allowed;
  /** Root element, ignores applied. */
  readonly desired: DesiredNode;
  readonly changes: readonly Change[];
  readonly findings: readonly Finding[];
  readonly operations: readonly PlannedOperation[];
  readonly dangling: readonly Dangling[];
  /** Match lists that would end up empty. */
  readonly emptied: readonly Path[];
  readonly knots: readonly UnsolvedCycle[];
  /** Entries that the plan deletes. */
  readonly deletions: readonly Path[];
}
