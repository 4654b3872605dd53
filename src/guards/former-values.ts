import type { Refusal } from "../plan/model.js";
import type { RunFacts } from "./context.js";

/** Name of the guard. */
export const NON_DESCENDANT = "non-descendant";

/** Refuses a plan that would restore values that a newer commit changed. */
export function refuseFormerValues({ formerValues }: RunFacts): Refusal[] {
  if (formerValues === undefined) return [];
  return [{ guard: NON_DESCENDANT, message: formerValues, path: undefined, allow: "--allow non-descendant" }];
}
