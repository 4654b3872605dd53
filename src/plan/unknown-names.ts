import { shapeAt } from "../core/tree/lookup.js";
import type { TreeNode } from "../core/tree/node.js";
import { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import { parsePath } from "../core/tree/xpath.js";
import type { DesiredNode, DesiredTarget } from "../desired/model.js";
import { Catalog, type Definition, type NameReference, type Scope, Scopes } from "./namespace.js";
import { definitionsIn, everyName } from "./survey.js";

/** What a kind of target knows of names by itself; data and pure functions, supplied by `targets/<kind>/`. */
export interface KindNames {
  /** Whether a value needs no object that anybody makes: it stands for itself, the platform brings it, or what there is of its kinds is not known. */
  isGiven(reference: NameReference): boolean;
  /** Whether documents do not tell which scope is seen from which, so that an object of any of them counts. */
  seesEverywhere(root: TreeNode): boolean;
  /** True when objects of one scope are never visible from another, also when `seesEverywhere`. */
  isHidden?(object: Scope, from: Scope): boolean;
  /** References in a desired tree whose objects must be in another list, too. */
  listed?(root: DesiredNode): readonly ListedReference[];
  /** Where a target says that somebody pushes objects to it that its own tree does not show. */
  readonly pushed?: { readonly path: Path; isPushed(tree: TreeNode): boolean };
}

/** A reference whose object must be in another list of the target, too: the device refuses it otherwise. */
export interface ListedReference {
  readonly path: Path;
  readonly value: string;
  /** Position in the desired state's source map. */
  readonly origin: number;
  /** The part of the target to read when a plan does not know the list. */
  readonly list: Path;
  readonly message: string;
  /** Whether the list in a tree names the object; undefined when the tree does not tell. */
  isListed(tree: TreeNode): boolean | undefined;
}

/** What is there beside what documents declare. */
export interface Beside {
  readonly trees: readonly TreeNode[];
  /** As `scopeParents` of `KindGuards` says. */
  readonly scopeParents?: ReadonlyMap<string, string> | undefined;
}

/** A value that names nothing that is declared. */
export interface UnknownName extends Around {
  readonly reference: NameReference;
  /** Position in the desired state's source map. */
  readonly origin: number;
  /** An object of the name that is not seen from here. */
  readonly elsewhere: Definition | undefined;
}

/** What a name of some kinds could be in one scope: the same for all names there. */
interface Around {
  /** Every list that could hold the object is exclusive: nothing that is not declared stands there. */
  readonly isCertain: boolean;
  /** Names of objects that could stand here. */
  readonly candidates: readonly string[];
  /** Lists that could hold the object, by its kinds. */
  readonly lists: readonly (readonly Path[])[];
}

type Declared = Pick<DesiredTarget, "root" | "exclusive" | "ignores" | "unlisted">;

/** Names in a target's documents that neither they declare (docs/desired-state.md#names) nor the trees beside them hold, in the order of the tree. */
export function unknownNames(
  desired: Declared,
  shape: Shape,
  names: KindNames,
  { trees, scopeParents }: Beside = { trees: [] },
): UnknownName[] {
  const { root } = desired;
  const scopes = new Scopes(scopeParents);
  const { definitions: declared, references } = everyName(root, shape, scopes);
  const definitions = [...declared, ...trees.flatMap((tree) => definitionsIn(tree, shape, scopes))];
  const everywhere = [root, ...trees].some((tree) => names.seesEverywhere(tree));
  const catalog = new Catalog();
  for (const definition of definitions) catalog.add(definition);
  // What is made of live objects, or is called after them, nobody knows yet.
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
    const told = known.get(from) ?? around(reference);
    known.set(from, told);
    return [{ reference, origin: (node as DesiredNode).origin, elsewhere, ...told }];
  });
}

/** The value is written here, and known: what another target is like, or is to be, is no mistake of this text. */
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

/** Nothing can stand in the list but what is declared there. */
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

/** The lists that could hold what a reference names. */
class Holders {
  readonly #root: Path;
  readonly #shape: Shape;
  readonly #lists = new Map<string, readonly Holder[]>();

  constructor({ root }: Declared, shape: Shape) {
    this.#root = Path.root.child(root.tag);
    this.#shape = shape;
  }

  /** By the reference's kinds. */
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
  /** The list holds places that are seen into from right around it, as virtual systems are; it stands for all that they define. */
  readonly isInner: boolean;
}

/** Lists of objects in the containers of one scope. */
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
