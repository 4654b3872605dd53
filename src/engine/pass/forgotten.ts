import type { KindRegistry } from "../../desired/kind.js";
import type { LoadedDesired } from "../../desired/loaded.js";
import { DesiredNode, type DesiredTarget } from "../../desired/model.js";
import { SourceMap } from "../../desired/source-map.js";
import type { Ledger } from "../ledger.js";

/** Adds those of `names` whose last document was deleted, with nothing wanted of them, where `isOwned` says so. */
export async function withForgotten(
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

/** A target that no document speaks of any more, and of which the ledger still knows what we own, or what a push has to take from firewalls, is worked on too. */
export async function ownsOn(ledger: Pick<Ledger, "read">, owner: string, target: string): Promise<boolean> {
  const known = await ledger.read(owner, target);
  return known.state === "present" && (known.record.paths.length > 0 || known.record.undelivered !== undefined);
}

function nothingWanted(target: string, rootTag: string): DesiredTarget {
  const root = new DesiredNode(rootTag, undefined, "", [], { origin: -1, prunes: false, declared: false });
  return { target, root, exclusive: [], allowEmpty: [], ignores: [], sources: new SourceMap() };
}
