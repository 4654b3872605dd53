import type { Plan, Refusal } from "../../plan/model.js";
import type { TargetContext } from "./context.js";

const GUARD = "values";

/** What the target would refuse is not sent; what stands there already, or is not to be written, holds nothing back. */
export function refuseValues({ desired, options }: TargetContext, { changes }: Plan): Refusal[] {
  if (desired.faults === undefined || options.allow.has(GUARD)) return [];
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
