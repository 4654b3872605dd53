import type { Plan } from "../../plan/model.js";
import type { WriteOptions } from "./options.js";

/** Whether a plan is the one that the run is bound to, or does the same to the same. True where it is bound to none. */
export function isAsPlanned({ target, digest, effect }: Plan, { digests, effects }: Pick<WriteOptions, "digests" | "effects">): boolean {
  const wanted = digests?.get(target);
  return wanted === undefined || wanted === digest || effects?.get(target) === effect;
}
