import type { Refusal } from "../plan/model.js";
import type { RunFacts } from "./context.js";

const GUARD = "values";

/** Refuses values that the target would reject. Values that are already there or are not written do not block the plan. */
export function refuseValues({ desired, allow, plan: { changes } }: RunFacts): Refusal[] {
  if (desired.faults === undefined || allow.has(GUARD)) return [];
  const written = changes.filter(({ kind }) => kind !== "extra").map(({ path }) => path);
  return desired.faults
    .filter(({ path, soon }) => !soon && written.some((change) => change.contains(path) || path.contains(change)))
    .map(({ path, origin, message, next }) => ({
      guard: GUARD,
      message: `The target would refuse it: ${message} ${next}`,
      path,
      origin,
      allow: `--allow ${GUARD}`,
    }));
}
