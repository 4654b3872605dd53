import type { Configuration } from "../../desired/configuration/configuration.js";
import type { KindRegistry } from "../../desired/kind.js";
import type { LoadedDesired } from "../../desired/loaded.js";
import { DesiredNode, type DesiredTarget } from "../../desired/model.js";
import { SourceMap } from "../../desired/source-map.js";
import type { Ledger, LedgerRecord, LedgerState } from "../ledger/ledger.js";
import type { LedgerStore } from "../ledger/store.js";

/** Adds targets whose last document was deleted, with an empty desired state, if `isOwned` returns true for them. */
export async function withUndeclaredTargets(
  loaded: LoadedDesired,
  kinds: KindRegistry,
  names: Iterable<string>,
  isOwned: (target: string) => Promise<boolean> | boolean,
): Promise<LoadedDesired> {
  const targets = new Map(loaded.targets);
  for (const name of names) {
    const rootTag = kinds.get(loaded.configuration.targets.get(name)?.kind ?? "")?.rootTag;
    if (rootTag !== undefined && !targets.has(name) && (await isOwned(name))) targets.set(name, nothingWanted(name, rootTag));
  }
  return targets.size === loaded.targets.size ? loaded : { ...loaded, targets };
}

/** Returns whether the ledger has managed objects of a target, or deletions that were not pushed to its firewalls. */
export async function ownsOn(ledger: Pick<Ledger, "read">, owner: string, target: string): Promise<boolean> {
  const known = await ledger.read(owner, target);
  return known.state === "present" && (known.record.paths.length > 0 || known.record.undelivered !== undefined);
}

/**
 * Returns a warning for each target that has a ledger of this owner and is not in the configuration: it was removed or renamed, and its
 * objects stay on the device.
 *
 * @throws The errors of `LedgerStore.targets`
 */
export async function departedTargets(
  { owner, targets }: Pick<Configuration, "owner" | "targets">,
  ledger: Pick<Ledger, "read">,
  ledgers: Pick<LedgerStore, "targets">,
): Promise<string[]> {
  const departed = (await ledgers.targets(owner)).filter((name) => !targets.has(name));
  const found = await Promise.all(departed.map(async (name) => departedWarning(name, await ledger.read(owner, name))));
  return found.filter((warning) => warning !== undefined);
}

function departedWarning(target: string, known: LedgerState): string | undefined {
  if (known.state === "missing") return undefined;
  const rest = known.state === "unreadable" ? `its ledger cannot be read (${known.reason})` : remainder(known.record);
  return rest === undefined ? undefined : `target ${target} left the configuration; ${rest}. See plumbline ledger rename and forget.`;
}

function remainder({ paths: { length }, undelivered = [] }: LedgerRecord): string | undefined {
  if (length > 0) return `${length} managed ${length === 1 ? "path stays" : "paths stay"} on the device`;
  return undelivered.length > 0 ? `committed deletions that firewalls do not have yet: ${undelivered.length}` : undefined;
}

function nothingWanted(target: string, rootTag: string): DesiredTarget {
  const root = new DesiredNode(rootTag, undefined, "", [], { origin: -1, prunes: false, declared: false });
  return { target, root, exclusive: [], allowEmpty: [], ignores: [], sources: new SourceMap() };
}
