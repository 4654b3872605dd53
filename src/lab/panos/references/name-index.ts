import { GLOBAL } from "../tree/place.js";
import type { Definition, NameVisitor, Reference } from "./names.js";

interface DefinitionCount {
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly scope: string;
  count: number;
}

interface ReferenceCount {
  readonly kinds: readonly string[];
  readonly scopes: readonly string[];
  readonly scope: string;
  count: number;
}

/**
 * How often each name is defined and referred to, by scope and kind. Adding and taking away are one step a name, so
 * that an edit costs what it changes, however large the configuration is.
 */
export class NameIndex {
  readonly #definitions = new Map<string, DefinitionCount[]>();
  readonly #references = new Map<string, ReferenceCount[]>();

  /** Counts what a walk reports, `step` times (1 or -1). */
  counter(step: 1 | -1): NameVisitor {
    return {
      definition: (definition) => this.#countDefinition(definition, step),
      reference: (reference) => this.#countReference(reference, step),
    };
  }

  /** Whether a value of these kinds names something that can be seen from `scopes`. */
  resolves(kinds: readonly string[], value: string, scopes: readonly string[]): boolean {
    const found = this.#definitions.get(value);
    return found?.some((definition) => kinds.includes(definition.kind) && isSeen(definition.scope, scopes)) === true;
  }

  /** Whether something refers to a name of this kind, sees the scope, and finds no definition of it any more. */
  isMissed({ kind, name, scopes }: Definition): boolean {
    const scope = keyOf(scopes);
    const found = this.#references.get(name) ?? [];
    return found.some(
      (reference) =>
        reference.kinds.includes(kind) && isSeen(scope, reference.scopes) && !this.resolves(reference.kinds, name, reference.scopes),
    );
  }

  /** Whether two lists of one namespace and scope hold this name. */
  clashes({ name, namespace, scopes }: Definition): boolean {
    if (namespace === undefined) return false;
    const scope = keyOf(scopes);
    const found = this.#definitions.get(name) ?? [];
    return found.filter((definition) => definition.namespace === namespace && definition.scope === scope).length > 1;
  }

  #countDefinition({ kind, name, namespace, scopes }: Definition, step: number): void {
    const scope = keyOf(scopes);
    count(this.#definitions, name, step, (each) => each.kind === kind && each.scope === scope, { kind, namespace, scope, count: 0 });
  }

  #countReference({ kinds, value, scopes }: Reference, step: number): void {
    const scope = keyOf(scopes);
    count(this.#references, value, step, (each) => each.kinds === kinds && each.scope === scope, { kinds, scopes, scope, count: 0 });
  }
}

function count<Item extends { count: number }>(
  map: Map<string, Item[]>,
  key: string,
  step: number,
  same: (item: Item) => boolean,
  fresh: Item,
): void {
  const items = map.get(key);
  if (items === undefined) {
    fresh.count = step;
    map.set(key, [fresh]);
    return;
  }
  const item = items.find(same);
  if (item === undefined) {
    fresh.count = step;
    items.push(fresh);
    return;
  }
  item.count += step;
  if (item.count !== 0) return;
  items.splice(items.indexOf(item), 1);
  if (items.length === 0) map.delete(key);
}

function keyOf(scopes: readonly string[]): string {
  return scopes.join("/");
}

function isSeen(scope: string, from: readonly string[]): boolean {
  if (scope === GLOBAL || scope === "") return true;
  const key = keyOf(from);
  return key === scope || key.startsWith(`${scope}/`);
}
