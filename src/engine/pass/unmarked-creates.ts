import { find, shapeAt } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import { markTag, ownerOf, SHARED_NAME } from "../../core/tree/owner-mark.js";
import type { Path } from "../../core/tree/path.js";
import type { Shape } from "../../core/tree/shape.js";
import { parsePath } from "../../core/tree/xpath/xpath.js";
import type { DesiredTarget } from "../../desired/model.js";
import type { Change, Finding } from "../../plan/diff/change.js";
import { covers } from "../../plan/explain.js";
import type { LedgerRecord } from "../ledger/ledger.js";

interface Compared {
  readonly live: TreeNode;
  readonly shape: Shape;
  readonly desired: DesiredTarget;
  readonly only?: Path | undefined;
}

/** An undeclared object without an owner mark, at the place of a create that this owner did not finish. */
export interface UnmarkedCreate {
  /** Path of the create in the ledger. */
  readonly request: string;
  readonly path: Path;
  readonly entry: TreeNode;
}

/**
 * Returns undeclared objects that a create of this owner may have made, although they have no mark: another user can overwrite the initial
 * mark before a run has set the final one. When the create was sent, no other object had the name. Does not expire like other unanswered
 * requests, because the object remains.
 */
export function unmarkedCreates(record: LedgerRecord | undefined, { live, shape, desired, only }: Compared): UnmarkedCreate[] {
  const found = unfinished(record).flatMap((request) => {
    const created = parsePath(request);
    const list = created.parent;
    const tag = list === undefined || created.name === undefined ? undefined : markTag(shapeAt(created, shape));
    if (list === undefined || tag === undefined) return [];
    const entries = find(live, list)?.children ?? [];
    return entries.flatMap((entry) => {
      const { name } = entry;
      if (name === undefined || (name !== created.name && entry.attributes?.get(SHARED_NAME) !== created.name)) return [];
      return ownerOf(entry, tag) === undefined ? [{ request, path: list.entry(name), entry }] : [];
    });
  });
  const ignores = desired.ignores.filter(({ isObserved }) => isObserved !== true);
  return found.filter(
    ({ path }) =>
      (only?.contains(path) ?? true) &&
      find(desired.root, path) === undefined &&
      !ignores.some((ignore) => covers(ignore.path, path, [live, desired.root])),
  );
}

/** Paths of creates that were given up, or whose run ended before it had marked and verified the object. */
function unfinished(record: LedgerRecord | undefined): string[] {
  const rows = record?.rows ?? {};
  const announced = (record?.announced ?? []).filter((path) => rows[path]?.came === "made");
  return [...new Set([...announced, ...Object.keys(record?.unanswered ?? {})])].sort();
}

/** Returns the objects as differences that no write removes. */
export function asRemaining(creates: readonly UnmarkedCreate[]): { readonly remaining: Change[]; readonly findings: Finding[] } {
  const message =
    "A run of Plumbline did not finish its create at this place, and this object has no ownership mark: another user overwrote the mark or created the object. Plumbline does not delete it. Delete it, declare it with $adopt: true, or list it under ignore:.";
  return {
    remaining: creates.map(({ request, path, entry }) => ({ kind: "unmanaged", path, before: entry, ofCreate: request })),
    findings: creates.map(({ path }) => ({ kind: "not-ours", path, message, origin: -1, refuses: false })),
  };
}
