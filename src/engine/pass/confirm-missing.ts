import { PlumblineError } from "../../core/errors.js";
import { find } from "../../core/tree/lookup.js";
import type { Path } from "../../core/tree/path.js";
import { parsePath } from "../../core/tree/xpath/xpath.js";
import type { Doubt } from "../../plan/model.js";
import type { LedgerRecord } from "../ledger/ledger.js";
import type { Live } from "../live.js";
import type { Access, HiddenObject, Ids, ReadTarget } from "../target.js";

const MOST_NAMED = 5;
/** `--allow` with this name treats hidden objects as deleted, for one run. */
const GUARD = "object-hidden";

/**
 * Throws if ledger entries are missing from a list because our account may not see them. Such entries were not deleted, so the run must not
 * create them a second time or remove them from the ledger.
 * @throws PlumblineError `object-hidden`
 */
export async function confirmMissing(
  target: ReadTarget,
  live: Live,
  record: LedgerRecord | undefined,
  rows: readonly Path[],
  allow: ReadonlyMap<string, string>,
): Promise<void> {
  if (target.hiding === undefined || record === undefined || allow.has(GUARD)) return;
  const hidden = await target.hiding.hidden(missingOf(live, rows, new Set(record.announced)));
  const [first] = hidden;
  if (first === undefined) return;
  throw new PlumblineError("object-hidden", `This account may not read ${named(hidden)} completely: ${first.reason}`, {
    where: { target: target.name, xpath: first.path.toString() },
    next: "Give the account permission to read it again. Until then Plumbline does not create, change or delete objects there. To treat it as deleted once: --allow object-hidden.",
    severity: "refused",
  });
}

/**
 * Outermost ledger entries that a read should have returned and did not. Excludes announced entries that were never confirmed: they may not
 * have been created.
 */
function missingOf({ candidate, subtrees }: Live, rows: readonly Path[], announced: ReadonlySet<string>): Path[] {
  const read = new Set(subtrees.map(String));
  const missing = new Map<string, Path>();
  for (const row of rows) {
    if (row.name === undefined || find(candidate, row) !== undefined || announced.has(row.toString())) continue;
    let wasRead = false;
    let isInMissing = false;
    for (let at = row.parent; at !== undefined; at = at.parent) {
      const text = at.toString();
      wasRead ||= read.has(text);
      isInMissing ||= missing.has(text);
    }
    if ((wasRead || read.has(row.toString())) && !isInMissing) missing.set(row.toString(), row);
  }
  return [...missing.values()];
}

function named(hidden: readonly HiddenObject[]): string {
  const names = hidden.slice(0, MOST_NAMED).map(({ path }) => `"${path.name ?? ""}"`);
  const rest = hidden.length - names.length;
  return rest === 0 ? names.join(", ") : `${names.join(", ")} and ${rest} more`;
}

/**
 * Looks up missing objects by the id from the ledger before the plan creates them again. An object counts as deleted only if the platform
 * reports the id as unknown and our token has at least the access of the last run. Each doubtful object blocks only itself.
 */
export async function confirmMissingByIds(
  target: ReadTarget,
  live: Live,
  record: LedgerRecord | undefined,
  allow: ReadonlyMap<string, string>,
): Promise<Doubt[]> {
  const { ids } = target;
  if (ids?.hidden === undefined || record === undefined || allow.has(GUARD)) return [];
  const idOf = (path: Path) => record.rows?.[path.toString()]?.id;
  const rows = new Set([...record.paths, ...(record.announced ?? [])]);
  // An announced row with an id was created, because the id came with the response. A row without an id may exist too.
  const missing = missingOf(
    live,
    [...rows].map((row) => parsePath(row)),
    new Set(),
  ).filter((path) => !isShownElsewhere(path, idOf(path), live, ids));
  if (missing.length === 0) return [];
  const seesAll = isAtLeast(await ids.access?.(), record.access);
  const hidden = await ids.hidden(missing.map((path) => ({ path, id: idOf(path), seesAll })));
  return hidden.map(({ path, reason }) => ({ path, why: hiddenObject(target, path, reason) }));
}

/** Reports whether the list contains the object under another name. Then it was renamed and is not hidden. */
function isShownElsewhere(path: Path, id: string | undefined, { candidate }: Live, ids: Ids): boolean {
  const { parent } = path;
  if (id === undefined) return false;
  const shown = parent === undefined ? [] : (find(candidate, parent)?.children ?? []);
  return shown.some(({ name, tag }) => name !== undefined && parent !== undefined && ids.idOf(parent.entry(name, tag)) === id);
}

/** Ledgers of earlier versions have no access record. */
function isAtLeast(now: Access | undefined, then: Access | undefined): boolean {
  if (then === undefined || now === undefined) return true;
  return now.project === then.project && then.roles.every((role) => now.roles.includes(role));
}

function hiddenObject(target: ReadTarget, path: Path, reason: string): PlumblineError {
  return new PlumblineError("object-hidden", `"${path.name}" is not deleted, and is not created again: ${reason}`, {
    where: { target: target.name, xpath: path.toString() },
    next: "Run again when the service shows it; to take it for gone once: --allow object-hidden.",
    severity: "refused",
  });
}
