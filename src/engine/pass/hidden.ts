import { PlumblineError } from "../../core/errors.js";
import { find } from "../../core/tree/lookup.js";
import type { Path } from "../../core/tree/path.js";
import { parsePath } from "../../core/tree/xpath.js";
import type { Doubt } from "../../plan/model.js";
import type { LedgerRecord } from "../ledger.js";
import type { Live } from "../live.js";
import type { Access, HiddenObject, Ids, ReadTarget } from "../target.js";

const MOST_NAMED = 5;
/** With `--allow` it lets what is hidden count as gone, once. */
const GUARD = "object-hidden";

/**
 * An entry that our ledger has and a list does not show was deleted by somebody, or is hidden by a right that is missing. The
 * target looks closer where it can: what is only hidden is neither made a second time nor struck off the ledger.
 * @throws PlumblineError `object-hidden`
 */
export async function refuseHidden(
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
  throw new PlumblineError("object-hidden", `Our account may not see ${named(hidden)}, or not all of it: ${first.reason}`, {
    where: { target: target.name, xpath: first.path.toString() },
    next: "Give the account the right to read it again; till then nothing is made, changed or deleted here. To take it for gone once: --allow object-hidden.",
    severity: "refused",
  });
}

/** Outermost entries of the ledger that were read for and not found. What was announced and never proven may never have been made. */
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
 * What the ledger has with an id and no list showed is asked for by that id before it is made again: only what the platform says it
 * does not know, to a token that may see all that we saw, is gone. Each of the others stops itself, not its neighbours.
 */
export async function hiddenByIds(
  target: ReadTarget,
  live: Live,
  record: LedgerRecord | undefined,
  allow: ReadonlyMap<string, string>,
): Promise<Doubt[]> {
  const { ids } = target;
  if (ids?.hidden === undefined || record === undefined || allow.has(GUARD)) return [];
  const idOf = (path: Path) => record.rows?.[path.toString()]?.id;
  const rows = new Set([...record.paths, ...(record.announced ?? [])]);
  // What was announced and has an id was made: its create answered with that. What has none may stand as well.
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

/** Whether the list has the object under another name: it was renamed, and nothing is hidden. */
function isShownElsewhere(path: Path, id: string | undefined, { candidate }: Live, ids: Ids): boolean {
  const { parent } = path;
  if (id === undefined) return false;
  const shown = parent === undefined ? [] : (find(candidate, parent)?.children ?? []);
  return shown.some(({ name, tag }) => name !== undefined && parent !== undefined && ids.idOf(parent.entry(name, tag)) === id);
}

/** A ledger of a version before says nothing of it. */
function isAtLeast(now: Access | undefined, then: Access | undefined): boolean {
  if (then === undefined || now === undefined) return true;
  return now.project === then.project && then.roles.every((role) => now.roles.includes(role));
}

function hiddenObject(target: ReadTarget, path: Path, reason: string): PlumblineError {
  return new PlumblineError("object-hidden", `"${path.name}" is not gone, and is not made again: ${reason}`, {
    where: { target: target.name, xpath: path.toString() },
    next: "Run again when the service shows it; to take it for gone once: --allow object-hidden.",
    severity: "refused",
  });
}
