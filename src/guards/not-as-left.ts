import { find, shapeAt } from "../core/tree/lookup.js";
import type { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import { parsePath } from "../core/tree/xpath/xpath.js";
import type { Refusal } from "../plan/model.js";
import { pendingPath } from "../plan/pending-path.js";
import { printOf } from "../plan/print.js";
import type { GuardContext } from "./context.js";

const GUARD = "not-as-left";

/**
 * Refuses ledger deletes of objects that changed since Plumbline wrote them: the content differs, or another administrator made the last
 * change. Declared objects are corrected as usual: this guard checks deletes only.
 */
export function refuseNotAsLeft(context: GuardContext): Refusal[] {
  const { input, changes, allow } = context;
  if (input.ledger.state !== "present") return [];
  const { rows = {} } = input.ledger.record;
  const allowed = allow.paths(GUARD);
  const refusals: Refusal[] = [];
  const deleted = changes.flatMap((change) =>
    change.kind === "extra" && change.reason === "ledger" ? [{ path: change.path, before: change.before }] : [],
  );
  for (const { path, before } of [...deleted, ...uncommittedDeletes(context)]) {
    const why =
      otherContent(rows[path.toString()]?.print, before, shapeAt(path, input.shape)) ?? otherWriter(before, ownAdministrators(input));
    if (why === undefined || allowed.some((place) => place.contains(path))) continue;
    refusals.push({ guard: GUARD, message: `${why}. The deletion needs --allow.`, path, allow: `--allow "${GUARD}=${path}"` });
  }
  return refusals;
}

/**
 * Returns the running state of owned objects that are deleted in Plumbline's uncommitted changes. A late request may have deleted changes
 * that someone committed after the plan.
 */
function uncommittedDeletes({ input, desired }: GuardContext): { readonly path: Path; readonly before: TreeNode }[] {
  const { pending, administrator, running, candidate, ledger } = input;
  const own = pending.filter(({ owner }) => owner === administrator).flatMap((change) => pendingPath(change) ?? []);
  if (own.length === 0 || running === undefined || ledger.state !== "present") return [];
  return ledger.record.paths.flatMap((text) => {
    const path = parsePath(text);
    const isOwn = own.some((each) => each.contains(path) || path.contains(each));
    if (!isOwn || find(candidate, path) !== undefined || find(desired, path) !== undefined) return [];
    const before = find(running, path);
    return before === undefined ? [] : [{ path, before }];
  });
}

function otherContent(print: string | undefined, live: TreeNode, shape: Shape): string | undefined {
  return print === undefined || printOf(live, shape) === print
    ? undefined
    : "The live content differs from the content that Plumbline wrote";
}

function otherWriter(live: TreeNode, administrators: ReadonlySet<string>): string | undefined {
  const last = lastMark(live);
  return last === undefined || administrators.size === 0 || administrators.has(last.admin) ? undefined : `"${last.admin}" changed it last`;
}

/** Returns the accounts of this owner; empty if the administrator is unknown. */
function ownAdministrators({ administrator, administrators = [] }: GuardContext["input"]): ReadonlySet<string> {
  return new Set(administrator === undefined ? [] : [administrator, ...administrators]);
}

/** Returns the latest administrator mark at the node or below, if the platform sets such marks. */
function lastMark(node: TreeNode): { readonly admin: string; readonly time: string } | undefined {
  const admin = node.attributes?.get("admin") ?? "";
  let last = admin === "" ? undefined : { admin, time: node.attributes?.get("time") ?? "" };
  for (const child of node.children) {
    const below = lastMark(child);
    if (below !== undefined && (last === undefined || below.time > last.time)) last = below;
  }
  return last;
}
