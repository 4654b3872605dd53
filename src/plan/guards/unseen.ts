import { find, pathOf, shapeAt } from "../../core/tree/lookup.js";
import { isForeign, markTag } from "../../core/tree/owner-mark.js";
import type { Path } from "../../core/tree/path.js";
import type { Shape } from "../../core/tree/shape.js";
import { parsePath } from "../../core/tree/xpath.js";
import type { DesiredNode } from "../../desired/model.js";
import type { PlanInput, Refusal } from "../model.js";

/** What one right opens or hides as a whole, and what the ledger knows in it. */
interface Root {
  readonly path: Path;
  readonly rows: Path[];
}

/** What was not seen, so that nothing may follow from its absence: each refusal stops its own subtree. */
export function refuseUnseen(input: PlanInput, desired: DesiredNode): Refusal[] {
  const doubted = (input.doubts ?? []).map(
    ({ path, why }): Refusal => ({ guard: why.code, message: why.message, path, stops: "subtree", allow: undefined }),
  );
  return input.showsUnseen === true ? doubted : [...doubted, ...refuseEmptyRoots(input, desired)];
}

/**
 * Roots of which the ledger knows several entries, none of which is read: a missing right and a cut reply look so. One that
 * is missed alone, or beside others of ours that are there, was deleted: the reader has borne out that it is absent.
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
    if ([...lists.values()].some((list) => holdsOurs(list, input, known))) continue;
    if (input.allowEmptyLive.some((allowed) => allowed.contains(path) || rows.every((row) => allowed.contains(row)))) continue;
    refusals.push({
      guard: "empty-live",
      message: `By the ledger ${rows.length} entries of ours should be here, but all of it reads as if there were none. A missing right or a wrong path reads the same. It is left out of the plan, with what names it.`,
      path,
      stops: "subtree",
      allow: `--allow-empty-live "${path}"`,
    });
  }
  return refusals;
}

/** `unproven`: what was announced and never read back may never have been made, what was to leave may be gone: that it is absent proves nothing. */
function rootsOf(known: ReadonlySet<string>, unproven: ReadonlySet<string>, { shape, only }: PlanInput): Iterable<Root> {
  const roots = new Map<string, Root>();
  // Rows of one list stand together, and have one root unless they are their own.
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

/** The scope around a row (a virtual system, a device group, a template); where entries carry marks, the list of the service. */
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

/** Where entries carry marks, those of others say nothing of ours: a right may be missing for single objects. */
function holdsOurs(list: Path, { candidate, shape, owner }: PlanInput, known: ReadonlySet<string>): boolean {
  const live = find(candidate, list)?.children ?? [];
  const entry = shapeAt(list, shape).child("entry");
  return live.some((each) => owner === undefined || !isForeign(each, entry, owner) || known.has(pathOf(list, each).toString()));
}

/** What is in an entry that is a row itself is there or not with that entry. */
function isInOwned(row: string, rows: ReadonlySet<string>): boolean {
  for (let end = row.indexOf("]/"); end !== -1; end = row.indexOf("]/", end + 1)) if (rows.has(row.slice(0, end + 1))) return true;
  return false;
}
