import { flagsOf } from "../../engine/allowance.js";
import type { Plans } from "../store/store.js";
import type { PlanView } from "./view.js";

/** A plan as the store keeps it. */
export type KeptPlan = NonNullable<Awaited<ReturnType<Plans["get"]>>>;

/** What would let it pass all that refuses it; undefined where nothing would, or where it was too long to be kept. */
export function flagsOfPlan({ json }: Pick<KeptPlan, "json">): readonly string[] | undefined {
  if (json === undefined) return undefined;
  const { refusals = [] } = JSON.parse(json) as Partial<PlanView>;
  return flagsOf(refusals.map(({ guard, allow }) => ({ guard, allow })));
}
