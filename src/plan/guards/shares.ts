import type { Path } from "../../core/tree/path.js";
import type { Shape } from "../../core/tree/shape.js";
import type { Refusal } from "../model.js";
import type { GuardContext } from "./context.js";
import { type TouchedList, touchedLists } from "./touched-lists.js";

/** Lists of which too much would change or go at once, and lists that would end up empty. */
export function refuseLargeShares(context: GuardContext): Refusal[] {
  const { input } = context;
  const lists = touchedLists(context.changes, input.candidate);
  const measured = lists.filter((list) => list.live > 0 && list.live >= input.guards.from);
  return [
    ...overLimit("updates", "changed or deleted", measured, (list) => new Set([...list.changed, ...list.deleted]).size, context),
    ...overLimit("deletes", "deleted", measured, (list) => list.deleted.size, context),
    ...refuseEmptied(lists, context),
  ];
}

function overLimit(
  guard: "updates" | "deletes",
  word: string,
  lists: readonly TouchedList[],
  count: (list: TouchedList) => number,
  { input, allow }: GuardContext,
): Refusal[] {
  const limit = input.guards[guard];
  const over = lists.map((list) => ({ list, touched: count(list) })).filter(({ list, touched }) => touched / list.live > limit);
  const most = Math.max(0, ...over.map(({ list, touched }) => touched / list.live));
  if (most <= (allow.share(guard) ?? 0)) return [];
  const flag = `--allow ${guard}=${Math.ceil(most * 100 - 1e-9)}%`;
  return over.map(({ list, touched }) => ({
    guard,
    message: `${touched} of ${list.live} ${list.ofEntries ? "entries" : "members"} would be ${word}: ${percent(touched / list.live)}, over the limit guards.${guard} of ${percent(limit)}.`,
    path: list.path,
    allow: flag,
  }));
}

function percent(share: number): string {
  return `${Math.round(share * 1000) / 10} %`;
}

function refuseEmptied(lists: readonly TouchedList[], { input, allow }: GuardContext): Refusal[] {
  if (input.guards.emptyList === "allow") return [];
  const allowed = new Set(input.desired.allowEmpty.map((path) => path.toString()));
  const emptied = lists.filter(
    (list) =>
      list.ofEntries &&
      list.live > 0 &&
      list.deleted.size >= list.live &&
      list.created === 0 &&
      !allowed.has(list.path.toString()) &&
      !isInsideEntry(list.path, input.shape),
  );
  if (emptied.length <= allow.count("empty-list")) return [];
  return emptied.map((list) => ({
    guard: "empty-list",
    message: `The list would be emptied: all of its ${list.live} entries would be deleted, and guards.emptyList is refuse.`,
    path: list.path,
    allow: `--allow empty-list=${emptied.length}`,
  }));
}

/** True for a list that is part of an object, which is declared whole. */
function isInsideEntry(list: Path, root: Shape): boolean {
  let shape = root;
  for (const step of list.steps().slice(1)) {
    shape = shape.child(step.tag);
    if (step.name !== undefined && !shape.structural) return true;
  }
  return false;
}
