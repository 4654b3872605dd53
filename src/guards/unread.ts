import { find, pathOf, shapeAt } from "../core/tree/lookup.js";
import { isUnmanaged, markTag } from "../core/tree/owner-mark.js";
import type { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import { parsePath } from "../core/tree/xpath/xpath.js";
import type { DesiredNode } from "../desired/model.js";
import type { PlanInput, Refusal } from "../plan/model.js";
import type { ComparisonFacts } from "../plan/plan-guards.js";

/** A subtree that one permission shows or hides completely, with its rows in the ledger. */
interface Root {
  readonly path: Path;
  readonly rows: Path[];
}

/** Refuses subtrees that could not be read, because absence proves no deletion there. Each refusal blocks its own subtree. */
export function refuseUnread({ input, declared }: Pick<ComparisonFacts, "input" | "declared">): Refusal[] {
  const doubted = (input.doubts ?? []).map(
    ({ path, why }): Refusal => ({ guard: why.code, message: why.message, path, stops: "subtree", allow: undefined }),
  );
  return input.showsUnseen === true ? doubted : [...doubted, ...refuseEmptyRoots(input, declared)];
}

/**
 * Refuses roots with several ledger rows of which no entry was read: a missing permission or a truncated reply looks the same. A single
 * missing entry, or one next to other managed entries, was deleted: the reader has confirmed its absence.
 */
function refuseEmptyRoots(input: PlanInput, desired: DesiredNode): Refusal[] {
  if (input.ledger.state !== "present") return [];
  const { record } = input.ledger;
  const known = new Set(record.paths);
  const refusals: Refusal[] = [];
  for (const { path, rows } of rootsOf(known, new Set([...(record.announced ?? []), ...(record.leaving ?? [])]), input)) {
    const lists = new Map(rows.map(listOf).map((list) => [list.toString(), list]));
    const isWanted = [...lists.values()].some((list) => find(desired, list)?.children.some((child) => child.declared) === true);
    if (rows.length < 2 || !isWanted) continue;
    if (input.doubts?.some((doubt) => rows.every((row) => doubt.path.contains(row))) === true) continue;
    if ([...lists.values()].some((list) => containsManaged(list, input, known))) continue;
    if (input.allowEmptyLive.some((allowed) => allowed.contains(path) || rows.every((row) => allowed.contains(row)))) continue;
    refusals.push({
      guard: "empty-live",
      message: `The ledger lists ${rows.length} managed entries here, but the target returns none. The account may lack a permission. The plan omits this subtree and the objects that use it.`,
      path,
      stops: "subtree",
      allow: `--allow "empty-live=${path}"`,
    });
  }
  return refusals;
}

/**
 * Groups ledger rows by root. `unproven`: rows whose absence proves no loss. An announced object may never have been created, and one that
 * was about to be deleted may be gone.
 */
function rootsOf(known: ReadonlySet<string>, unproven: ReadonlySet<string>, { shape, only }: PlanInput): Iterable<Root> {
  const roots = new Map<string, Root>();
  // Rows of one list are adjacent. They have the same root, unless each row is its own root.
  let last: { readonly list: Path; readonly root: Root } | undefined;
  for (const text of known) {
    if (unproven.has(text) || isInOwned(text, known)) continue;
    const row = parsePath(text);
    if (only !== undefined && !only.contains(row)) continue;
    if (last !== undefined && last.list === row.parent) {
      last.root.rows.push(row);
      continue;
    }
    const path = rootOf(row, shape);
    const root = roots.get(path.toString()) ?? { path, rows: [] };
    roots.set(path.toString(), root);
    root.rows.push(row);
    last = row.parent === undefined || path === row ? undefined : { list: row.parent, root };
  }
  return roots.values();
}

/** Returns the scope around a row (virtual system, device group, template). On platforms with marks, returns the list of the service. */
function rootOf(row: Path, shape: Shape): Path {
  let section = row;
  for (let at = row.parent; at !== undefined && at.depth > 1; at = at.parent) {
    const here = shapeAt(at, shape);
    if (here.scope || here.globalScope || markTag(here.child("entry")) !== undefined) return at;
    section = at;
  }
  return section;
}

function listOf(row: Path): Path {
  return row.parent ?? row;
}

/** On platforms with marks, entries of others do not count: a permission may be missing for single objects. */
function containsManaged(list: Path, { candidate, shape, owner }: PlanInput, known: ReadonlySet<string>): boolean {
  const live = find(candidate, list)?.children ?? [];
  const entry = shapeAt(list, shape).child("entry");
  return live.some((each) => owner === undefined || !isUnmanaged(each, entry, owner) || known.has(pathOf(list, each).toString()));
}

/** Returns whether the row is inside an entry with a row of its own: the two exist or disappear together. */
function isInOwned(row: string, rows: ReadonlySet<string>): boolean {
  for (let end = row.indexOf("]/"); end !== -1; end = row.indexOf("]/", end + 1)) if (rows.has(row.slice(0, end + 1))) return true;
  return false;
}
