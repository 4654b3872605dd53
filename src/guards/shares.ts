import { shapeAt } from "../core/tree/lookup.js";
import type { TreeNode } from "../core/tree/node.js";
import { isUnmanaged } from "../core/tree/owner-mark.js";
import type { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import type { Change } from "../plan/diff/change.js";
import type { Refusal } from "../plan/model.js";
import { type TouchedList, touchedLists } from "../plan/touched-lists.js";
import type { GuardContext } from "./context.js";

/** Shorter lists are not checked against `short`: one of two entries is already half of them. */
const SHORTEST = 3;

/** Refuses to change or delete too large a share of a list at a time, and to empty lists. */
export function refuseLargeShares(context: GuardContext): Refusal[] {
  const { input } = context;
  const { owner, shape } = input;
  const isShared = (entry: TreeNode, list: Path): boolean =>
    owner !== undefined && isUnmanaged(entry, shapeAt(list, shape).child(entry.tag), owner);
  const lists = touchedLists(context.changes, input.candidate, isShared);
  const { from } = input.guards;
  const long = lists.filter((list) => list.live >= from);
  const short = lists.filter((list) => list.ofEntries && list.live >= SHORTEST && list.live < from);
  const as = (setting: Touch["setting"]) => (list: TouchedList) => ({ list, setting, touched: touchedIn(list, setting) });
  return [
    ...overLimit("updates", long.map(as("updates")), context),
    ...overLimit("deletes", [...long.map(as("deletes")), ...short.map(as("short"))], context),
    ...refuseEmptied(lists, context),
  ];
}

/** Number of touched entries of a list, counted for one of the limits. */
interface Touch {
  readonly list: TouchedList;
  readonly setting: "updates" | "deletes" | "short";
  readonly touched: number;
}

function touchedIn({ changed, deleted }: TouchedList, setting: Touch["setting"]): number {
  return setting === "updates" ? new Set([...changed, ...deleted]).size : deleted.size;
}

function overLimit(guard: "updates" | "deletes", measured: readonly Touch[], { input, allow }: GuardContext): Refusal[] {
  const over = measured.filter(({ list, setting, touched }) => touched / list.live > input.guards[setting]);
  const most = Math.max(0, ...over.map(({ list, touched }) => touched / list.live));
  if (most <= (allow.share(guard) ?? 0)) return [];
  const word = guard === "deletes" ? "deleted" : "changed or deleted";
  return over.map(({ list, setting, touched }) => ({
    guard,
    message: `${touched} of ${list.live} ${list.ofEntries ? "entries" : "members"} would be ${word}: ${percent(touched / list.live)}, over the limit guards.${setting} of ${percent(input.guards[setting])}.`,
    path: list.path,
    allow: `--allow ${guard}=${Math.ceil(most * 100 - 1e-9)}%`,
  }));
}

function percent(share: number): string {
  return `${Math.round(share * 1000) / 10} %`;
}

function refuseEmptied(lists: readonly TouchedList[], { changes, input, allow }: GuardContext): Refusal[] {
  if (input.guards.emptyList === "allow") return [];
  const allowed = new Set(input.desired.allowEmpty.map((path) => path.toString()));
  const replaced = replacedChoices(changes, input.shape);
  const emptied = lists.filter(
    (list) =>
      list.ofEntries &&
      list.live > 0 &&
      list.deleted.size >= list.live &&
      list.created === 0 &&
      !allowed.has(list.path.toString()) &&
      !isInsideEntry(list.path, input.shape) &&
      !replaced.some((path) => path.contains(list.path)),
  );
  if (emptied.length <= allow.count("empty-list")) return [];
  return emptied.map((list) => ({
    guard: "empty-list",
    message: `The list would be emptied: all of its ${list.live} entries would be deleted, and guards.emptyList is refuse.`,
    path: list.path,
    allow: `--allow empty-list=${emptied.length}`,
  }));
}

/** Returns deleted alternatives that the plan replaces by another one: the settings of Layer 3 when an interface becomes a tap. */
function replacedChoices(changes: readonly Change[], root: Shape): Path[] {
  const keyOf = (path: Path): string | undefined => {
    const { choice } = shapeAt(path, root);
    return choice === undefined ? undefined : `${path.parent}\n${choice}`;
  };
  const created = new Set(changes.flatMap(({ kind, path }) => (kind === "missing" ? (keyOf(path) ?? []) : [])));
  return changes.flatMap(({ kind, path }) => (kind === "extra" && created.has(keyOf(path) ?? "") ? [path] : []));
}

/** Returns whether the list is part of an object, which is declared completely. */
function isInsideEntry(list: Path, root: Shape): boolean {
  let shape = root;
  for (const step of list.steps().slice(1)) {
    shape = shape.child(step.tag);
    if (step.name !== undefined && !shape.structural) return true;
  }
  return false;
}
