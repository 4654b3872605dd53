import type { Path } from "../core/tree/path.js";
import type { Refusal } from "../plan/model.js";
import type { LiveFacts, ObjectUser } from "./context.js";

const MOST_NAMED = 5;

/** Refuses to replace an object that other objects use and that the plan does not change. The platform would reject the delete. */
export function refuseReplaceOfUsed({ usersOf, plan: { changes, operations } }: LiveFacts): Refusal[] {
  if (usersOf === undefined) return [];
  const replaced = operations.flatMap(({ operation: { action, at } }) => (action === "delete" || action === "edit" ? [at] : []));
  const isFree = ({ entry }: ObjectUser): boolean => entry !== undefined && replaced.some((at) => at.contains(entry) || entry.contains(at));
  return changes.flatMap((change) => {
    if (change.kind !== "differs" || change.path.name === undefined) return [];
    const users = usersOf(change.path).filter((user) => !isFree(user));
    return users.length === 0 ? [] : [refusal(change.path, users)];
  });
}

function refusal(path: Path, users: readonly ObjectUser[]): Refusal {
  const named = users.slice(0, MOST_NAMED).map(({ words }) => words);
  const rest = users.length - named.length;
  const who = `${named.join(", ")}${rest === 0 ? "" : ` and ${rest} more`}`;
  return {
    guard: "replace",
    message: `"${path.name}" would be recreated, and is in use by remaining objects: ${who}. Remove that use first.`,
    path,
    allow: undefined,
  };
}
