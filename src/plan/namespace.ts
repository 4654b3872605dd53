import type { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";

/**
 * A scope of names. Its names are visible at and below it; names of an `outward` scope are also visible in the scope around it, and names
 * of a `global` scope everywhere. The root scope has no parent.
 */
export interface Scope {
  readonly id: string;
  readonly global: boolean;
  readonly outward?: boolean;
  readonly parent: Scope | undefined;
}

/** An object that others can refer to. Names are unique within a scope and namespace. */
export interface Definition {
  readonly path: Path;
  readonly kind: string;
  readonly namespace: string;
  readonly scope: Scope;
  readonly name: string;
}

/** A value that may refer to an object: the text of a leaf or member, or the name of an entry. */
export interface NameReference {
  /** The leaf, member or entry. */
  readonly path: Path;
  readonly value: string;
  readonly kinds: readonly string[];
  readonly scope: Scope;
  /** The object that contains the reference. Undefined for rules and settings, which cannot be referred to. */
  readonly holder: Definition | undefined;
  /** `Shape.leads`. */
  readonly leads?: boolean | undefined;
  /** True when the shape has `follows`. */
  readonly follows?: boolean | undefined;
}

/** All scopes by path, one object each. The parent group of a device group is between the group and the scope around both. */
export class Scopes {
  readonly root: Scope = { id: "/", global: false, parent: undefined };
  readonly #parents: ReadonlyMap<string, string>;
  readonly #scopes = new Map<string, Scope>();

  constructor(parents: ReadonlyMap<string, string> = new Map()) {
    this.#parents = parents;
  }

  /** Returns the scope of names below `path`. `enclosing` is the scope of the node above. */
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
 * Returns the number of steps from `from` to `scope`, or undefined if names of `scope` are not visible there. Goes outwards to enclosing
 * scopes. An outward scope directly inside precedes them. Global scopes come last.
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

/** Objects by name, to resolve references. */
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

  /** Returns the objects with a name in all scopes. */
  named(name: string): readonly Definition[] {
    return this.#byName.get(name) ?? [];
  }

  /** Returns the nearest object for the reference: own scope, outward scopes directly inside, enclosing scopes, then global ones. */
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
