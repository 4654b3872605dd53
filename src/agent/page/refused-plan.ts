import { flagsOf } from "../../engine/allowance.js";
import type { Plans } from "../store/store.js";
import type { PlanView } from "./view.js";

/** Plan in the store. */
export type KeptPlan = NonNullable<Awaited<ReturnType<Plans["get"]>>>;

/** Returns the flags that override all refusals of the plan. Undefined if no flags do, or if the plan was too long to be stored. */
export function flagsOfPlan({ json }: Pick<KeptPlan, "json">): readonly string[] | undefined {
  if (json === undefined) return undefined;
  const { refusals = [] } = JSON.parse(json) as Partial<PlanView>;
  return flagsOf(refusals.map(({ guard, allow }) => ({ guard, allow })));
}
