import type { Plan } from "../../plan/model.js";
import type { WriteOptions } from "./options.js";

/** Reports whether a plan has the digest that the run is bound to, or the same effect. True if the run is not bound to a plan. */
export function isAsPlanned({ target, digest, effect }: Plan, { digests, effects }: Pick<WriteOptions, "digests" | "effects">): boolean {
  const wanted = digests?.get(target);
  return wanted === undefined || wanted === digest || effects?.get(target) === effect;
}
