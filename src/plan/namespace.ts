import type { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";

/**
 * A place whose names are seen from below it only, those of an `outward` one from the scope around it too; `global` scopes
 * are seen from everywhere. The root scope has no parent.
 */
export interface Scope {
  readonly id: string;
  readonly global: boolean;
  readonly outward?: boolean;
  readonly parent: Scope | undefined;
}

/** An object that others may name. Two of one scope and namespace cannot hold one name at a time. */
export interface Definition {
  readonly path: Path;
  readonly kind: string;
  readonly namespace: string;
  readonly scope: Scope;
  readonly name: string;
}

/** A value that may name an object: text of a leaf or member, or the name of an entry. */
export interface NameReference {
  /** The leaf, member or entry. */
  readonly path: Path;
  readonly value: string;
  readonly kinds: readonly string[];
  readonly scope: Scope;
  /** The object that names it; undefined for rules and settings, which nothing names. */
  readonly holder: Definition | undefined;
  /** `Shape.leads`. */
  readonly leads?: boolean | undefined;
  /** True when the shape has `follows`. */
  readonly follows?: boolean | undefined;
}

/** Every scope once, by path; a device group's parent group stands between it and what encloses both. */
export class Scopes {
  readonly root: Scope = { id: "/", global: false, parent: undefined };
  readonly #parents: ReadonlyMap<string, string>;
  readonly #scopes = new Map<string, Scope>();

  constructor(parents: ReadonlyMap<string, string> = new Map()) {
    this.#parents = parents;
  }

  /** The scope that names below `path` live in, given that of the node above. */
  below(path: Path, shape: Shape, enclosing: Scope): Scope {
    if (!shape.scope && !shape.globalScope) return enclosing;
    const id = path.toString();
    const { globalScope: global, outwardScope: outward = false } = shape;
    return this.#scopes.get(id) ?? this.#make(id, { global, outward }, enclosing, new Set());
  }

  #make(id: string, reach: Pick<Scope, "global" | "outward">, enclosing: Scope, making: Set<string>): Scope {
    making.add(id);
    const parentId = this.#parents.get(id);
    const known = parentId === undefined || making.has(parentId) ? undefined : this.#scopes.get(parentId);
    const parent = parentId === undefined || making.has(parentId) ? enclosing : (known ?? this.#make(parentId, reach, enclosing, making));
    const scope: Scope = { id, ...reach, parent };
    this.#scopes.set(id, scope);
    return scope;
  }
}

/**
 * Steps from `from` to `scope`, or undefined when names of `scope` are not seen there: out to scopes around it, one step in
 * to an outward one, which comes before those further out. Global scopes come last.
 */
export function distance(from: Scope, scope: Scope): number | undefined {
  if (scope.outward === true && scope.parent === from) return 0.5;
  let steps = 0;
  for (let at: Scope | undefined = from; at !== undefined; at = at.parent) {
    if (at === scope) return steps;
    steps += 1;
  }
  return scope.global ? steps : undefined;
}

/** Objects by name, to find what a reference means. */
export class Catalog {
  readonly #byName = new Map<string, Definition[]>();

  add(definition: Definition): void {
    const same = this.#byName.get(definition.name);
    if (same === undefined) this.#byName.set(definition.name, [definition]);
    else same.push(definition);
  }

  has(name: string): boolean {
    return this.#byName.has(name);
  }

  /** Objects of a name, wherever they are. */
  named(name: string): readonly Definition[] {
    return this.#byName.get(name) ?? [];
  }

  /** The nearest object that the reference can mean: its own scope first, then enclosing scopes, then global ones. */
  resolve(reference: NameReference): Definition | undefined {
    let best: Definition | undefined;
    let nearest = Number.POSITIVE_INFINITY;
    for (const definition of this.#byName.get(reference.value) ?? []) {
      if (!reference.kinds.includes(definition.kind)) continue;
      const steps = distance(reference.scope, definition.scope);
      if (steps !== undefined && steps < nearest) {
        nearest = steps;
        best = definition;
      }
    }
    return best;
  }
}
