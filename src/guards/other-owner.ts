import type { Path } from "../core/tree/path.js";
import type { Refusal } from "../plan/model.js";
import type { GuardContext } from "./context.js";

/** Refuses changes to objects that another owner declares. The last writer does not matter (ADR 18). */
export function refuseOtherOwners({ input: { otherLedgers }, changes }: GuardContext): Refusal[] {
  if (otherLedgers.size === 0) return [];
  const covering = prefixesOf(otherLedgers);
  const refusals: Refusal[] = [];
  for (const change of changes) {
    const owner = ownerOf(change.path, otherLedgers, covering);
    if (owner !== undefined) refusals.push(refusal(change.path, `This object is in the ledger of "${owner}".`));
  }
  return refusals;
}

function refusal(path: Path, message: string): Refusal {
  return { guard: "other-owner", message, path, allow: undefined };
}

/** Returns the owner of the path itself, of a node above or of a node below. */
function ownerOf(path: Path, ledgers: ReadonlyMap<string, string>, covering: ReadonlyMap<string, string>): string | undefined {
  const text = path.toString();
  const below = ledgers.get(text) ?? covering.get(text);
  if (below !== undefined) return below;
  for (let at = path.parent; at !== undefined; at = at.parent) {
    const owner = ledgers.get(at.toString());
    if (owner !== undefined) return owner;
  }
  return undefined;
}

/** Returns every path above another owner's rows. A change is reported at the highest node, which may contain such rows. */
function prefixesOf(ledgers: ReadonlyMap<string, string>): Map<string, string> {
  const prefixes = new Map<string, string>();
  for (const [row, owner] of ledgers) {
    // The text before a slash inside a name is not a path, so no lookup finds it.
    for (let end = row.indexOf("/", 1); end !== -1; end = row.indexOf("/", end + 1)) prefixes.set(row.slice(0, end), owner);
  }
  return prefixes;
}
