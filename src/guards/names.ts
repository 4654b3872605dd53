import type { Refusal } from "../plan/model.js";
import { anyOf, type ListedReference, type UnknownName } from "../plan/unknown-names.js";
import type { LiveFacts } from "./context.js";

/** Name of the guard. */
export const NAMES = "names";

/** Refuses names that the plan would write and that do not exist. */
export function refuseUnknownNames({ unknownNames: { missing, unlisted } }: LiveFacts): Refusal[] {
  return [...missing.map(refusal), ...unlisted.map(refusalOfUnlisted)];
}

function refusal({ reference: { path, value, kinds }, origin, elsewhere }: UnknownName): Refusal {
  const message =
    elsewhere === undefined
      ? `There is no ${anyOf(kinds)} "${value}", neither in the documents nor on the target.`
      : `"${value}" is declared or live only at ${elsewhere.path}, which is not visible in this scope. Declare it in this scope too.`;
  return { guard: NAMES, message, path, origin, allow: `--allow ${NAMES}` };
}

function refusalOfUnlisted({ path, message, origin }: ListedReference): Refusal {
  return { guard: NAMES, message, path, origin, allow: `--allow ${NAMES}` };
}
