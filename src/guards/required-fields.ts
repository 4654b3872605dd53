import { afterOperations } from "../plan/after.js";
import type { Refusal } from "../plan/model.js";
import type { GuardContext } from "./context.js";

const GUARD = "values";

/** Refuses objects that the plan writes without a field that the version of the device requires. */
export function refuseMissingFields({ input, changes, operations, allow }: GuardContext): Refusal[] {
  const { candidate, capabilities, kindGuards } = input;
  if (kindGuards.missingFields === undefined || capabilities.version === undefined) return [];
  if (operations.length === 0 || allow.has(GUARD)) return [];
  const written = changes.filter(({ kind }) => kind !== "extra" && kind !== "order").map(({ path }) => path);
  return kindGuards
    .missingFields(afterOperations(candidate, operations), capabilities.version)
    .filter(({ path }) => written.some((change) => change.contains(path) || path.contains(change)))
    .map(({ path, message }) => ({ guard: GUARD, message, path, allow: `--allow ${GUARD}` }));
}
