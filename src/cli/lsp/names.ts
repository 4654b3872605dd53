import type { LoadedDesired } from "../../desired/loaded.js";
import type { DesiredNode } from "../../desired/model.js";
import { guardsOf } from "../../engine/connections.js";
import { Catalog, type Definition, distance, Scopes } from "../../plan/namespace.js";
import { definitionsIn } from "../../plan/reference-index.js";
import { placeAt, rootPlace } from "../../plan/scoped-path.js";
import { fieldPath, type Place } from "./places.js";

/** Returns declared objects that the value at the place may refer to, nearest first. */
export async function namesFor(loaded: LoadedDesired, place: Place): Promise<readonly Definition[]> {
  const { shape, scope, definitions } = await scopedAt(loaded, place);
  return definitions
    .filter(({ kind }) => shape.references.includes(kind))
    .flatMap((definition) => {
      const steps = distance(scope, definition.scope);
      return steps === undefined ? [] : [{ definition, steps }];
    })
    .sort((a, b) => a.steps - b.steps || (a.definition.name < b.definition.name ? -1 : 1))
    .map(({ definition }) => definition);
}

/** Returns the declared object that the value at the place refers to. */
export async function definitionOf(loaded: LoadedDesired, place: Place): Promise<Definition | undefined> {
  const { shape, scope, definitions } = await scopedAt(loaded, place);
  const value = place.node.name ?? place.node.text;
  const catalog = new Catalog();
  for (const definition of definitions) if (definition.name === value) catalog.add(definition);
  return catalog.resolve({ path: place.path, value, kinds: shape.references, scope, holder: undefined });
}

async function scopedAt(loaded: LoadedDesired, place: Place) {
  const { target, kind, path } = place;
  const root = loaded.targets.get(target)?.root as DesiredNode;
  const { scopeParents } = await guardsOf(kind);
  const scopes = new Scopes(scopeParents?.(root));
  const definitions = definitionsIn(root, kind.shape, scopes);
  const { shape, outer, scope } = placeAt(rootPlace(root, kind.shape, scopes), fieldPath(place), scopes);
  return { shape, scope: path.name === undefined ? scope : outer, definitions };
}
