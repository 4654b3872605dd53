import type { Path } from "../core/tree/path.js";
import type { Refusal } from "../plan/model.js";
import { foundOnly } from "../plan/ownership-record.js";
import type { GuardContext } from "./context.js";

/**
 * Refuses deletes that need confirmation: too many per day, system objects, a commit that may be older, and lists that were not adopted.
 */
export function refuseDeletes(context: GuardContext): Refusal[] {
  return [...overBudget(context), ...neverPruned(context), ...notDescendant(context), ...firstContact(context)];
}

function overBudget({ input, allow, deletions }: GuardContext): Refusal[] {
  const budget = input.guards.deletesPerDay;
  const total = input.deletedToday + deletions.length;
  if (budget === undefined || deletions.length === 0 || total <= budget || total <= allow.count("deletes-per-day")) return [];
  const today = input.deletedToday === 0 ? "" : ` and ${input.deletedToday} were deleted today already`;
  const message = `${deletions.length} entries would be deleted${today}: over guards.deletesPerDay, which is ${budget}.`;
  return [{ guard: "deletes-per-day", message, path: undefined, allow: `--allow deletes-per-day=${total}` }];
}

function neverPruned({ input, deletions }: GuardContext): Refusal[] {
  return deletions
    .filter((path) => input.kindGuards.neverPruned(path))
    .map((path) => ({
      guard: "never-pruned",
      message: `"${path.name}" belongs to the system and is never deleted: declare it, or ignore it.`,
      path,
      allow: undefined,
    }));
}

function notDescendant({ input, changes }: GuardContext): Refusal[] {
  const extra = changes.find((change) => change.kind === "extra");
  if ((input.descends !== false && input.descends !== "cut") || extra === undefined) return [];
  const message =
    input.descends === "cut"
      ? "The clone is shallow and the missing history cannot be fetched. The commit may not descend from the last applied commit, so nothing is deleted. Run `git fetch --unshallow` and run again."
      : "The commit does not descend from the last applied commit. Objects that it does not declare may only be newer, so nothing is deleted.";
  return [{ guard: "non-descendant", message, path: extra.path, allow: "--allow non-descendant" }];
}

/** Refuses deletes from an exclusive list that was not adopted: its entries may predate Plumbline. */
function firstContact(context: GuardContext): Refusal[] {
  const { input, allow } = context;
  const adopted = new Set(input.ledger.state === "present" ? input.ledger.record.adopted : []);
  const record = input.ledger.state === "present" ? input.ledger.record : undefined;
  const found = record === undefined ? new Set() : foundOnly(record);
  const owned = new Set(record?.paths.filter((path) => !found.has(path)));
  const counts = new Map<Path, number>();
  const lists = exclusiveLists(input.desired.exclusive.filter((path) => !adopted.has(path.toString())));
  if (lists.size === 0) return [];
  for (const path of context.deletions) {
    const list = listAbove(path, lists);
    if (list !== undefined && !owned.has(path.toString())) counts.set(list, (counts.get(list) ?? 0) + 1);
  }
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (total <= allow.count("first-contact")) return [];
  return [...counts].map(([list, count]) => ({
    guard: "first-contact",
    message: `${count} ${count === 1 ? "entry" : "entries"} would be deleted, because the list is exclusive and was never adopted. Check them, then run \`plumbline adopt\`.`,
    path: list,
    allow: `--allow first-contact=${total}`,
  }));
}

function exclusiveLists(paths: readonly Path[]): Map<string, Path> {
  return new Map(paths.map((path) => [path.toString(), path]));
}

function listAbove(path: Path, lists: ReadonlyMap<string, Path>): Path | undefined {
  for (let at: Path | undefined = path; at !== undefined; at = at.parent) {
    const list = lists.get(at.toString());
    if (list !== undefined) return list;
  }
  return undefined;
}
