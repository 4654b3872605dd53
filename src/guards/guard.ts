import type { Refusal } from "../plan/model.js";

/** A check that may refuse a plan or a part of it. It never changes the plan and reads nothing itself. */
export interface Guard<Facts> {
  /** Names in its refusals, as in `docs/guards.md`. */
  readonly names: readonly string[];
  refuse(facts: Facts): readonly Refusal[];
}

/** Returns the refusals of all `guards`, in their order. */
export function refusalsOf<Facts>(guards: readonly Guard<Facts>[], facts: Facts): Refusal[] {
  return guards.flatMap((guard) => guard.refuse(facts));
}
