import { shapeAt } from "../core/tree/lookup.js";
import type { TreeNode } from "../core/tree/node.js";
import { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import { parsePath } from "../core/tree/xpath/xpath.js";
import type { DesiredNode, DesiredTarget } from "../desired/model.js";
import { Catalog, type Definition, type NameReference, type Scope, Scopes } from "./namespace.js";
import { definitionsIn, everyName } from "./reference-index.js";

/** Facts about names of one kind of target: data and pure functions, supplied by `targets/<kind>/`. */
export interface KindNames {
  /**
   * Returns whether a value needs no declared or live object: it is literal, the platform provides the object, or its kinds cannot be
   * listed.
   */
  isGiven(reference: NameReference): boolean;
  /** Returns whether documents do not define which scopes see each other, so that an object in any scope counts. */
  seesEverywhere(root: TreeNode): boolean;
  /** True when objects of one scope are never visible from another, also when `seesEverywhere`. */
  isHidden?(object: Scope, from: Scope): boolean;
  /** Returns references in a desired tree whose objects must be in another list, too. */
  listed?(root: DesiredNode): readonly ListedReference[];
  /** Set if a target can report that it receives pushed objects that its own tree does not show. */
  readonly pushed?: { readonly path: Path; isPushed(tree: TreeNode): boolean };
}

/** A reference whose object must also be in another list of the target; otherwise the device refuses it. */
export interface ListedReference {
  readonly path: Path;
  readonly value: string;
  /** Position in the desired state's source map. */
  readonly origin: number;
  /** The part of the target to read if a plan does not contain the list. */
  readonly list: Path;
  readonly message: string;
  /** Returns whether the list in a tree contains the object. Undefined if the tree does not show that. */
  isListed(tree: TreeNode): boolean | undefined;
}

/** Objects that exist in addition to declared ones. */
export interface OtherNames {
  readonly trees: readonly TreeNode[];
  /** Like `scopeParents` of `KindGuards`. */
  readonly scopeParents?: ReadonlyMap<string, string> | undefined;
}

/** A value that refers to no declared object. */
export interface UnknownName extends Around {
  readonly reference: NameReference;
  /** Position in the desired state's source map. */
  readonly origin: number;
  /** An object with the name that is not visible from here. */
  readonly elsewhere: Definition | undefined;
}

/** Possible objects for a reference of some kinds in one scope: the same for all names there. */
interface Around {
  /** Every list that could contain the object is exclusive, so only declared objects exist there. */
  readonly isCertain: boolean;
  /** Names of possible objects. */
  readonly candidates: readonly string[];
  /** Lists that could contain the object, by its kinds. */
  readonly lists: readonly (readonly Path[])[];
}

type Declared = Pick<DesiredTarget, "root" | "exclusive" | "ignores" | "unlisted">;

/**
 * Returns names in a target's documents that neither the documents (docs/desired-state.md#names) nor the additional trees define, in the
 * order of the tree.
 */
export function unknownNames(
  desired: Declared,
  shape: Shape,
  names: KindNames,
  { trees, scopeParents }: OtherNames = { trees: [] },
): UnknownName[] {
  const { root } = desired;
  const scopes = new Scopes(scopeParents);
  const { definitions: declared, references } = everyName(root, shape, scopes);
  const definitions = [...declared, ...trees.flatMap((tree) => definitionsIn(tree, shape, scopes))];
  const everywhere = [root, ...trees].some((tree) => names.seesEverywhere(tree));
  const catalog = new Catalog();
  for (const definition of definitions) catalog.add(definition);
  // Objects that depend on live objects, or have names with references, are not known yet.
  const unsaid = definitions.filter(({ name }) => name.includes("${")).map(({ kind }) => kind);
  const unlisted = new Set([...unsaid, ...(desired.unlisted ?? []).flatMap((list) => shapeAt(list, shape).defines ?? [])]);
  const holders = new Holders(desired, shape);
  const known = new Map<string, Around>();
  const around = (reference: NameReference): Around => {
    const lists = holders.of(reference);
    const isCertain = !everywhere && lists.flat().every((list) => isClosed(list, desired));
    return { lists, isCertain, candidates: seen(reference, definitions, everywhere, names) };
  };
  return references.flatMap(({ reference, node }) => {
    if (!isOwn(node) || names.isGiven(reference) || reference.kinds.some((kind) => unlisted.has(kind))) return [];
    if (catalog.resolve(reference) !== undefined) return [];
    const namesakes = catalog.named(reference.value).filter(({ kind }) => reference.kinds.includes(kind));
    const [elsewhere] = namesakes;
    if (everywhere && namesakes.some(({ scope }) => names.isHidden?.(scope, reference.scope) !== true)) return [];
    const from = `${reference.kinds.join()} ${reference.scope.id}`;
    const location = known.get(from) ?? around(reference);
    known.set(from, location);
    return [{ reference, origin: (node as DesiredNode).origin, elsewhere, ...location }];
  });
}

/** Returns whether the value is written here and final. A value from another target is not an error of this text. */
function isOwn(node: TreeNode): boolean {
  const { declared, handling = {} } = node as DesiredNode;
  return (
    declared &&
    handling.unresolved === undefined &&
    handling.secret === undefined &&
    handling.madeBy === undefined &&
    handling.ignored !== true
  );
}

function seen({ kinds, scope }: NameReference, definitions: readonly Definition[], everywhere: boolean, names: KindNames): string[] {
  const isVisible = (at: Scope): boolean => (everywhere ? names.isHidden?.(at, scope) !== true : at.global || isAround(at, scope));
  return definitions.flatMap(({ kind, name, scope: at }) => (kinds.includes(kind) && isVisible(at) ? [name] : []));
}

function isAround(outer: Scope, scope: Scope): boolean {
  for (let at: Scope | undefined = scope; at !== undefined; at = at.parent) if (at === outer) return true;
  return false;
}

/** Returns whether the list can contain only declared entries. */
function isClosed(list: Path, { root, ignores }: Declared): boolean {
  if (ignores.some(({ path }) => path.includes(list.tag))) return false;
  let node: DesiredNode = root;
  for (const step of list.steps().slice(1)) {
    const next: DesiredNode | undefined = node.children.find(({ tag, name }) => tag === step.tag && name === step.name);
    if (next === undefined) return node.prunes;
    node = next;
  }
  return node.prunes;
}

/** Finds the lists that could contain the object of a reference. */
class Holders {
  readonly #root: Path;
  readonly #shape: Shape;
  readonly #lists = new Map<string, readonly Holder[]>();

  constructor({ root }: Declared, shape: Shape) {
    this.#root = Path.root.child(root.tag);
    this.#shape = shape;
  }

  /** Returns the lists by the reference's kinds. */
  of({ kinds, scope }: NameReference): Path[][] {
    const places = [this.#root];
    for (const tag of this.#shape.knownTags) if (this.#shape.child(tag).globalScope) places.push(this.#root.child(tag));
    for (let at: Scope | undefined = scope; at?.parent !== undefined; at = at.parent) if (!at.global) places.push(parsePath(at.id));
    const holders = places.flatMap((place) => this.#below(place).filter(({ isInner }) => !isInner || place.toString() === scope.id));
    return kinds.map((wanted) => holders.flatMap(({ kind, list }) => (kind === wanted ? [list] : [])));
  }

  #below(place: Path): readonly Holder[] {
    const key = place.toString();
    const known = this.#lists.get(key) ?? listsIn(shapeAt(place, this.#shape), place);
    this.#lists.set(key, known);
    return known;
  }
}

interface Holder {
  readonly kind: string;
  readonly list: Path;
  /** The list contains scopes that are visible from directly around it, such as virtual systems. It represents all lists in them. */
  readonly isInner: boolean;
}

/** Returns the object lists in the containers of one scope. */
function listsIn(shape: Shape, path: Path): Holder[] {
  return shape.knownTags.flatMap((tag) => {
    const child = shape.child(tag);
    const list = path.child(tag);
    if (child.kind === "list") {
      const inner = child.child("entry");
      if (inner.outwardScope === true) return listsIn(inner, list).map(({ kind }) => ({ kind, list, isInner: true }));
      return child.defines === undefined ? [] : [{ kind: child.defines, list, isInner: false }];
    }
    return child.kind === "container" && !child.scope && !child.globalScope && child.readOnly !== true ? listsIn(child, list) : [];
  });
}

/** `address, address-group or region`. */
export function anyOf(kinds: readonly string[]): string {
  return kinds.length < 2 ? kinds.join("") : `${kinds.slice(0, -1).join(", ")} or ${kinds.at(-1)}`;
}
