import type { Refusal } from "../plan/model.js";
import type { UnsolvedCycle } from "../plan/unsolved-cycle.js";
import type { GuardContext } from "./context.js";

/** Refuses names that would not resolve, match lists that would mean `any`, and writes that have no safe order. */
export function refuseBrokenReferences({ changes, dangling, emptied, knots }: GuardContext): Refusal[] {
  const renamed = new Map(changes.filter((change) => change.kind === "renamed").map((change) => [change.from, change.to]));
  const referrers = dangling.map(({ reference, removed }) => {
    const newName = renamed.get(removed.name);
    const fate = newName === undefined ? "deleted" : `renamed to "${newName}"`;
    return {
      guard: "referrers",
      message: `${removed.kind} "${removed.name}" would be ${fate}, but is still used at a path that this plan does not write: ${reference.path}`,
      path: reference.path,
      allow: undefined,
    };
  });
  const empty = emptied.map((path) => ({
    guard: "match-list",
    message: "The list would have no members, which means any. Declare its members, or `any`.",
    path,
    allow: undefined,
  }));
  return [...referrers, ...empty, ...knots.map(tangled)];
}

/** In such a plan a name changes its owner while in use. A third name in between makes an order possible. */
function tangled({ paths, names }: UnsolvedCycle): Refusal {
  const [first] = names;
  if (first === undefined)
    return {
      guard: "order",
      message: `No order of these changes keeps every reference valid; make them in several commits: ${paths.slice(0, 5).join(", ")}`,
      path: paths[0],
      allow: undefined,
    };
  const notes = names
    .slice(0, 3)
    .map(({ name, from, to }) => `"${name}" from ${from.kind} ${from.path.parent} to ${to.kind} ${to.path.parent}`);
  const more = names.length > notes.length ? `, and ${names.length - notes.length} more` : "";
  const message =
    "No order of the changes keeps every reference valid, because names move to other objects while they are in use: " +
    `${notes.join("; ")}${more}. Use two commits: give the new objects temporary names in the first, and their final names in the second.`;
  return { guard: "order", message, path: first.to.path, allow: undefined };
}
