import type { Refusal } from "../model.js";
import type { GuardContext } from "./context.js";

/** Names that would lead nowhere, match lists that would mean `any`, and writes that no order makes safe. */
export function refuseBrokenReferences({ changes, dangling, emptied, knots }: GuardContext): Refusal[] {
  const renamed = new Map(changes.filter((change) => change.kind === "renamed").map((change) => [change.from, change.to]));
  const referrers = dangling.map(({ reference, removed }) => {
    const newName = renamed.get(removed.name);
    const fate = newName === undefined ? "deleted" : `renamed to "${newName}"`;
    return {
      guard: "referrers",
      message: `${removed.kind} "${removed.name}" would be ${fate}, but is still named here, outside what this plan writes: ${reference.path}`,
      path: reference.path,
      allow: undefined,
    };
  });
  const empty = emptied.map((path) => ({
    guard: "match-list",
    message: "The list would be left without members, which means any: declare what it shall match, `any` if that is meant.",
    path,
    allow: undefined,
  }));
  const tangled = knots.map((paths) => ({
    guard: "order",
    message: `No order of these changes keeps every reference valid; split them over two commits: ${paths.slice(0, 5).join(", ")}`,
    path: paths[0],
    allow: undefined,
  }));
  return [...referrers, ...empty, ...tangled];
}
