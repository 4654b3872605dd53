import type { Definition, NameVisitor, Reference } from "./names.js";
import type { Visibility } from "./visibility.js";

interface DefinitionCount {
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly scope: string;
  readonly count: number;
}

interface ReferenceCount {
  readonly kinds: readonly string[];
  readonly scopes: readonly string[];
  readonly scope: string;
  readonly count: number;
}

/**
 * Counts how often each name is defined and referenced, by scope and kind. Each name is updated separately, so the cost of an edit
 * depends on the edit, not on the size of the configuration. An index with a base only stores differences: a thousand devices with the
 * same configuration share its counts.
 */
export class NameIndex {
  readonly #visibility: Visibility;
  readonly #definitions: Counts<DefinitionCount>;
  readonly #references: Counts<ReferenceCount>;

  constructor(visibility: Visibility, base?: NameIndex) {
    this.#visibility = visibility;
    this.#definitions = new Counts(base === undefined ? undefined : base.#definitions);
    this.#references = new Counts(base === undefined ? undefined : base.#references);
  }

  /** Returns a visitor that counts each name `step` times (1 or -1). */
  counter(step: 1 | -1): NameVisitor {
    return {
      definition: (definition) => this.#countDefinition(definition, step),
      reference: (reference) => this.#countReference(reference, step),
    };
  }

  /** Whether a definition of one of these kinds is visible from `scopes`. */
  resolves(kinds: readonly string[], value: string, scopes: readonly string[]): boolean {
    const found = this.#definitions.get(value);
    return found?.some((definition) => kinds.includes(definition.kind) && this.#visibility.sees(scopes, definition.scope)) === true;
  }

  /** Whether a reference of this kind is in a scope that sees the definition's scope and no longer resolves to any definition. */
  isMissed({ kind, name, scopes }: Definition): boolean {
    const scope = keyOf(scopes);
    const found = this.#references.get(name) ?? [];
    return found.some(
      (reference) =>
        reference.kinds.includes(kind) &&
        this.#visibility.sees(reference.scopes, scope) &&
        !this.resolves(reference.kinds, name, reference.scopes),
    );
  }

  /** Whether the name is defined more than once in the same namespace and scope. */
  clashes({ name, namespace, scopes }: Definition): boolean {
    if (namespace === undefined) return false;
    const scope = keyOf(scopes);
    const found = this.#definitions.get(name) ?? [];
    return found.filter((definition) => definition.namespace === namespace && definition.scope === scope).length > 1;
  }

  #countDefinition({ kind, name, namespace, scopes }: Definition, step: number): void {
    const scope = keyOf(scopes);
    this.#definitions.count(name, step, (each) => each.kind === kind && each.scope === scope, { kind, namespace, scope, count: 0 });
  }

  #countReference({ kinds, value, scopes }: Reference, step: number): void {
    const scope = keyOf(scopes);
    this.#references.count(value, step, (each) => each.kinds === kinds && each.scope === scope, { kinds, scopes, scope, count: 0 });
  }
}

/** Counted items by name, as differences from a base that does not change. */
class Counts<Item extends { readonly count: number }> {
  readonly #own = new Map<string, readonly Item[]>();
  readonly #base: Counts<Item> | undefined;

  constructor(base: Counts<Item> | undefined) {
    this.#base = base;
  }

  get(key: string): readonly Item[] | undefined {
    return this.#own.get(key) ?? this.#base?.get(key);
  }

  count(key: string, step: number, same: (item: Item) => boolean, fresh: Item): void {
    const items = this.get(key) ?? [];
    const at = items.findIndex(same);
    const counted = { ...(items[at] ?? fresh), count: (items[at]?.count ?? 0) + step };
    const others = at < 0 ? items : items.toSpliced(at, 1);
    this.#own.set(key, counted.count === 0 ? others : [...others, counted]);
  }
}

function keyOf(scopes: readonly string[]): string {
  return scopes.join("/");
}
