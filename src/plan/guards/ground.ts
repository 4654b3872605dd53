import { find, pathOf } from "../../core/tree/lookup.js";
import { isForeign } from "../../core/tree/owner-mark.js";
import type { Path } from "../../core/tree/path.js";
import { parsePath } from "../../core/tree/xpath.js";
import { shapeAt } from "../digest.js";
import type { PlanInput, Refusal } from "../model.js";
import type { GuardContext } from "./context.js";

/** What the plan stands on and must not: ignores past their date, findings that refuse, lists that read as empty. */
export function refuseUnsureGround(context: GuardContext): Refusal[] {
  return [...expiredIgnores(context), ...refusingFindings(context), ...emptyLive(context)];
}

function expiredIgnores({ input, allow }: GuardContext): Refusal[] {
  const expired = input.desired.ignores.filter(({ until }) => until !== undefined && until < input.today);
  if (expired.length <= allow.count("expired-ignores")) return [];
  return expired.map((ignore) => ({
    guard: "expired-ignores",
    message: `The ignore of ${ignore.path} ended on ${ignore.until} (${ignore.owner}: ${ignore.reason}). Renew it or take it away.`,
    path: undefined,
    allow: `--allow expired-ignores=${expired.length}`,
  }));
}

function refusingFindings({ findings }: GuardContext): Refusal[] {
  return findings.filter((finding) => finding.refuses).map(({ kind, message, path }) => ({ guard: kind, message, path, allow: undefined }));
}

/** A list that holds entries of ours by the ledger and reads as empty: missing rights and wrong paths look the same. */
function emptyLive({ input, desired }: GuardContext): Refusal[] {
  if (input.ledger.state !== "present") return [];
  const counts = new Map<string, number>();
  const rows = new Set(input.ledger.record.paths);
  for (const row of rows) {
    const list = listOf(row);
    if (list === undefined) continue;
    const count = counts.get(list);
    if (count !== undefined || !isInOwned(list, rows)) counts.set(list, (count ?? 0) + 1);
  }
  const refusals: Refusal[] = [];
  for (const [list, count] of counts) {
    const path = parsePath(list);
    if (find(desired, path)?.children.some((child) => child.declared) !== true) continue;
    if (input.only !== undefined && !input.only.contains(path)) continue;
    if (holdsOurs(path, input, rows) || input.allowEmptyLive.some((allowed) => allowed.contains(path))) continue;
    refusals.push({
      guard: "empty-live",
      message: `By the ledger ${count} ${count === 1 ? "entry" : "entries"} of ours should be here, but the list reads as if there were none. A missing right or a wrong path reads the same.`,
      path,
      allow: `--allow-empty-live "${list}"`,
    });
  }
  return refusals;
}

/**
 * Where entries carry marks, those of others say nothing of ours: a right may be missing for single objects. One that the
 * ledger knows is ours although its mark is gone.
 */
function holdsOurs(list: Path, { candidate, shape, owner }: PlanInput, rows: ReadonlySet<string>): boolean {
  const live = find(candidate, list)?.children ?? [];
  const entry = shapeAt(list, shape).child("entry");
  return live.some((each) => owner === undefined || !isForeign(each, entry, owner) || rows.has(pathOf(list, each).toString()));
}

/** The list that a row's entry stands in, by its text: `…/entry[@name=…]` without what follows the list. */
function listOf(row: string): string | undefined {
  const at = row.lastIndexOf("/entry[@name=");
  return at > 0 && row.endsWith("]") && !row.slice(at + 1).includes("/member[text()=") ? row.slice(0, at) : undefined;
}

/** A list in an entry that is a row itself is there or not with that entry, whose own list is looked at. */
function isInOwned(list: string, rows: ReadonlySet<string>): boolean {
  for (let end = list.indexOf("]/"); end !== -1; end = list.indexOf("]/", end + 1)) if (rows.has(list.slice(0, end + 1))) return true;
  return false;
}
