import { find } from "../../core/tree/lookup.js";
import type { Path } from "../../core/tree/path.js";
import type { LoadedDesired } from "../../desired/loaded.js";
import type { DesiredNode, DesiredTarget } from "../../desired/model.js";
import type { Location } from "../../desired/source-map.js";
import { guardsOf } from "../../engine/connections.js";
import type { TargetKind } from "../../engine/target-kind.js";
import { Catalog, type Definition, distance, type NameReference, Scopes } from "../../plan/namespace.js";
import { everyName } from "../../plan/reference-index.js";
import type { KindNames } from "../../plan/unknown-names.js";
import { kinds } from "../../targets/registry.js";

/** A value that refers to an object, and the object. */
export interface Use {
  readonly node: DesiredNode;
  readonly reference: NameReference;
  /** Undefined if no document declares the object. */
  readonly definition: Definition | undefined;
}

/** Objects and references in the documents of one target. */
export class NameIndex {
  readonly target: string;
  readonly kind: TargetKind;
  readonly uses: readonly Use[];
  readonly definitions: readonly Definition[];
  readonly scopes: Scopes;
  readonly #desired: DesiredTarget;
  readonly #catalog = new Catalog();
  readonly #names: KindNames | undefined;
  readonly #byPath: ReadonlyMap<string, Definition>;

  private constructor(desired: DesiredTarget, kind: TargetKind, scopes: Scopes, names: KindNames | undefined) {
    this.target = desired.target;
    this.kind = kind;
    this.scopes = scopes;
    this.#desired = desired;
    this.#names = names?.seesEverywhere(desired.root) === true ? names : undefined;
    const { definitions, references } = everyName(desired.root, kind.shape, scopes);
    this.definitions = definitions;
    this.#byPath = new Map(definitions.map((definition) => [definition.path.toString(), definition]));
    for (const definition of definitions) this.#catalog.add(definition);
    this.uses = references.map(({ reference, node }) => ({
      reference,
      node: node as DesiredNode,
      definition: this.resolve(reference),
    }));
  }

  /** Indexes every target. */
  static async ofAll(loaded: LoadedDesired): Promise<ReadonlyMap<string, NameIndex>> {
    const indexes = new Map<string, NameIndex>();
    for (const [name, desired] of loaded.targets) {
      const kind = kinds.get(loaded.configuration.targets.get(name)?.kind ?? "");
      if (kind === undefined) continue;
      const { scopeParents } = await guardsOf(kind);
      indexes.set(name, new NameIndex(desired, kind, new Scopes(scopeParents?.(desired.root)), await kind.names?.()));
    }
    return indexes;
  }

  /** Returns the object that the entry at the path is. */
  at(path: Path): Definition | undefined {
    return this.#byPath.get(path.toString());
  }

  /** Returns the node of an entry. */
  node(path: Path): DesiredNode | undefined {
    return find(this.#desired.root, path);
  }

  /** Returns every place of a declaration or value. */
  places({ origin }: DesiredNode): readonly Location[] {
    return this.#desired.sources.places(origin);
  }

  /**
   * Returns the declared object that a reference means. If the documents do not show which scopes see each other (device groups), it is
   * the only object with the name.
   */
  resolve(reference: NameReference): Definition | undefined {
    const visible = this.#catalog.resolve(reference);
    if (visible !== undefined) return visible;
    const [only, other] = this.#candidates(reference);
    return other === undefined ? only : undefined;
  }

  /** Returns other objects that the reference may mean, because the documents do not show which scopes see each other. */
  doubts(reference: NameReference, definition: Definition | undefined): readonly Definition[] {
    if (definition !== undefined && distance(reference.scope, definition.scope) === 0) return [];
    return this.#candidates(reference).filter((candidate) => candidate !== definition);
  }

  #candidates({ value, kinds: allowed, scope }: NameReference): readonly Definition[] {
    const names = this.#names;
    if (names === undefined) return [];
    const named = this.#catalog.named(value).filter(({ kind }) => allowed.includes(kind));
    return named.filter((each) => names.isHidden?.(each.scope, scope) !== true);
  }
}
