import { type Atom, isDivisible } from "./atom.js";
import type { Effects, UniqueValue } from "./effects.js";
import { Graph } from "./graph.js";
import { nameKey, referenceKey } from "./keys.js";
import { Catalog, type Definition, distance, type NameReference } from "./namespace.js";
import { addNesting } from "./nesting.js";
import { isNested, type ReferenceIndex } from "./reference-index.js";

/*
 * Ordering constraints. test/plan/constraints.test.ts checks each row.
 *
 *   first                                   then                                     because
 *   --------------------------------------  ---------------------------------------  -------------------------------------------
 *   create of an object                     write that adds a reference to it        a name must resolve
 *   write that removes a reference          delete of the object                     a name must resolve
 *   create of an object                     delete of another object that has the    a name in use must always resolve
 *                                           name, in another scope or kind
 *   delete of an object                     create of another with its name in the   names are unique in a namespace
 *                                           same scope and namespace
 *   writes that add to a list of which      writes that delete the last old          an empty list would mean `any`
 *   no old member stays                     members
 *   write that frees a unique value         write that takes it                      two entries cannot have it
 *   write that adds or removes a reference  write that adds a reference to the       a port cannot get a trunk while a server
 *   with `Shape.leads`                      object elsewhere                         uses the port
 *   write that removes a reference to an    write that adds or removes a reference   a trunk cannot be deleted while a server
 *   object                                  to it with `Shape.leads`                 uses its port
 *   write that removes a derived reference  write by which the object removes a      a router keeps an interface that a floating
 *   to an object                            reference of its own                     IP uses
 *   write that sets a value with            create of an object of such a kind       the platform could give the value to that
 *   `Shape.claims`                          without its own value                    object
 *   delete of one side of a choice          set of another side                      a device refuses both, or keeps one silently
 *   delete of a group that hides another    write that puts the other into a group   the name would lead to the wrong object,
 *   object of the same name                                                          perhaps to the group itself
 *   writes that complete a group            writes that put it into another group    groups never contain themselves, not even
 *                                                                                    temporarily
 *
 * A cycle is broken by dividing a write (breakCycles in sequence.ts).
 */

/** A reference that stays although its name will not resolve. */
export interface Dangling {
  readonly reference: NameReference;
  readonly removed: Definition;
}

export interface Constraints {
  readonly graph: Graph;
  readonly dangling: readonly Dangling[];
  /** Index of the atom that creates or removes each object. */
  readonly creator: ReadonlyMap<Definition, number>;
  readonly remover: ReadonlyMap<Definition, number>;
  /** Returns the object that a reference resolves to in the live tree (`before`) or after the plan (`after`). */
  before(reference: NameReference): Definition | undefined;
  after(reference: NameReference): Definition | undefined;
}

/** Names in the live tree, after renames. */
export interface LiveNames {
  /** Objects and references with a name that is removed or renamed away. */
  readonly survey: ReferenceIndex;
  /** Objects under their names before a rename. */
  readonly renamed: readonly Definition[];
  nested(): readonly NameReference[];
}

/** Builds the graph over `atoms`. Nodes are their indexes; helper nodes follow. */
export function constrain(atoms: readonly Atom[], live: LiveNames): Constraints {
  const creator = new Map<Definition, number>();
  const remover = new Map<Definition, number>();
  for (const [index, { effects }] of atoms.entries()) {
    for (const definition of effects.creates) creator.set(definition, index);
    for (const definition of effects.removes) remover.set(definition, index);
  }
  const removedPaths = new Set([...remover.keys()].map((definition) => definition.path.toString()));
  const before = new Catalog();
  const after = new Catalog();
  for (const definition of live.survey.definitions) {
    if (removedPaths.has(definition.path.toString())) continue;
    before.add(definition);
    after.add(definition);
  }
  for (const definition of remover.keys()) before.add(definition);
  for (const definition of live.renamed) before.add(definition);
  for (const definition of creator.keys()) after.add(definition);

  const graph = new Graph(atoms.length);
  addExplicit(graph, atoms);
  addNames(graph, atoms, { before, after, creator, remover });
  addNamespaces(graph, creator, remover);
  addLists(graph, atoms);
  addPairs(graph, atoms, uniqueFrees, uniqueTakes);
  addLeaders(graph, atoms);
  addFollowers(graph, atoms);
  addClaims(graph, atoms);
  addPairs(
    graph,
    atoms,
    (effects) => effects.unchooses,
    (effects) => effects.chooses,
  );
  addNesting(graph, atoms, live.nested);
  const dangling = addRemaining(graph, atoms, live, { before, after, creator, remover });
  return {
    graph,
    dangling,
    creator,
    remover,
    before: (reference) => before.resolve(reference),
    after: (reference) => after.resolve(reference),
  };
}

interface Names {
  readonly before: Catalog;
  readonly after: Catalog;
  readonly creator: ReadonlyMap<Definition, number>;
  readonly remover: ReadonlyMap<Definition, number>;
}

function addExplicit(graph: Graph, atoms: readonly Atom[]): void {
  const known = new Map<object, number[]>();
  for (const [index, { token }] of atoms.entries()) if (token !== undefined) known.set(token, [...(known.get(token) ?? []), index]);
  for (const [index, { after }] of atoms.entries())
    for (const token of after ?? []) for (const first of known.get(token) ?? []) if (first !== index) graph.addEdge(first, index);
}

function addNames(graph: Graph, atoms: readonly Atom[], { before, after, creator, remover }: Names): void {
  for (const [index, { effects }] of atoms.entries()) {
    for (const reference of effects.adds) {
      const definition = after.resolve(reference);
      const hider = hiderOf(reference, definition, before, remover);
      if (hider !== undefined && hider !== index) graph.addEdge(hider, index);
      const made = definition === undefined ? undefined : creator.get(definition);
      if (made === undefined || definition === undefined) continue;
      if (made !== index || (isDivisible(atoms[index]) && !definition.path.contains(reference.path))) graph.addEdge(made, index);
    }
    for (const reference of effects.drops) {
      const definition = before.resolve(reference);
      const removal = definition === undefined ? undefined : remover.get(definition);
      if (removal !== undefined && removal !== index) graph.addEdge(index, removal);
    }
  }
}

/**
 * Returns the write that deletes a group which hides the object that a group is to contain. Until then the name would lead to the hiding
 * group, perhaps to the referring group itself.
 */
function hiderOf(
  reference: NameReference,
  meant: Definition | undefined,
  before: Catalog,
  remover: ReadonlyMap<Definition, number>,
): number | undefined {
  if (meant === undefined || !isNested(reference)) return undefined;
  const hiding = before.resolve(reference);
  if (hiding === undefined || hiding.kind !== reference.holder?.kind || nameKey(hiding) === nameKey(meant)) return undefined;
  if (!isNearer(hiding, meant, reference)) return undefined;
  return remover.get(hiding);
}

function isNearer(one: Definition, other: Definition, { scope }: NameReference): boolean {
  return (distance(scope, one.scope) ?? Number.POSITIVE_INFINITY) < (distance(scope, other.scope) ?? Number.POSITIVE_INFINITY);
}

/**
 * Handles references that no write touches: the new object must exist before the old one is deleted. Returns those that will not resolve.
 */
function addRemaining(graph: Graph, atoms: readonly Atom[], live: LiveNames, names: Names): Dangling[] {
  const dropped = new Set<string>();
  for (const { effects } of atoms) for (const reference of effects.drops) dropped.add(referenceKey(reference));
  const renamed = new Set(live.renamed);
  const dangling: Dangling[] = [];
  for (const reference of live.survey.references) {
    const removed = names.before.resolve(reference);
    const removal = removed === undefined ? undefined : names.remover.get(removed);
    if (removed === undefined || (removal === undefined && !renamed.has(removed)) || dropped.has(referenceKey(reference))) continue;
    const heir = names.after.resolve(reference);
    const made = heir === undefined ? undefined : names.creator.get(heir);
    if (heir === undefined) dangling.push({ reference, removed });
    else if (made !== undefined && removal !== undefined && made !== removal) graph.addEdge(made, removal);
  }
  return dangling;
}

function addNamespaces(graph: Graph, creator: ReadonlyMap<Definition, number>, remover: ReadonlyMap<Definition, number>): void {
  if (creator.size === 0 || remover.size === 0) return;
  const freed = new Map([...remover].map((removed) => [nameKey(removed[0]), removed]));
  for (const [definition, index] of creator) {
    const [removed, gone] = freed.get(nameKey(definition)) ?? [];
    if (removed === undefined || gone === undefined || gone === index || removed.path.equals(definition.path)) continue;
    graph.addEdge(gone, index);
  }
}

function addLists(graph: Graph, atoms: readonly Atom[]): void {
  const sites = new Map<string, { live: number; dropped: number; adders: number[]; droppers: number[] }>();
  for (const [index, { effects }] of atoms.entries()) {
    for (const list of effects.lists) {
      if (!list.neverEmpty) continue;
      const site = sites.get(list.site) ?? { live: list.live, dropped: 0, adders: [], droppers: [] };
      sites.set(list.site, site);
      site.dropped += list.dropped;
      if (list.added > 0) site.adders.push(index);
      else if (list.dropped > 0) site.droppers.push(index);
    }
  }
  for (const { live, dropped, adders, droppers } of sites.values()) {
    if (dropped < live || adders.length === 0 || droppers.length === 0) continue;
    const filled = graph.addNode();
    for (const index of adders) graph.addEdge(index, filled);
    for (const index of droppers) graph.addEdge(filled, index);
  }
}

const uniqueFrees = (effects: Effects): string[] => effects.frees.map(uniqueKey);
const uniqueTakes = (effects: Effects): string[] => effects.takes.map(uniqueKey);
const uniqueKey = (value: UniqueValue): string => value.key;

/** Puts writes with a value that the platform could give to a new object before creates of such objects without a value of their own. */
function addClaims(graph: Graph, atoms: readonly Atom[]): void {
  const claimed = new Map<string, number>();
  for (const [index, { effects }] of atoms.entries())
    for (const kind of new Set(effects.claims)) {
      const all = claimed.get(kind) ?? graph.addNode();
      claimed.set(kind, all);
      graph.addEdge(index, all);
    }
  if (claimed.size === 0) return;
  for (const [index, { effects }] of atoms.entries()) {
    if (effects.claims.length > 0) continue;
    for (const kind of new Set(effects.creates.map((definition) => definition.kind))) {
      const all = claimed.get(kind);
      if (all !== undefined) graph.addEdge(all, index);
    }
  }
}

/**
 * For references with `Shape.leads`: other writes that remove references to the same object come before, writes that add such references
 * come after.
 */
function addLeaders(graph: Graph, atoms: readonly Atom[]): void {
  const leaders = new Map<string, number[]>();
  const keyOf = ({ kinds, value }: NameReference): string => `${kinds}\n${value}`;
  for (const [index, { effects }] of atoms.entries())
    for (const reference of [...effects.adds, ...effects.drops])
      if (reference.leads === true) leaders.set(keyOf(reference), [...(leaders.get(keyOf(reference)) ?? []), index]);
  if (leaders.size === 0) return;
  const others = (references: readonly NameReference[], addEdge: (leader: number) => void): void => {
    for (const each of references) if (each.leads !== true) for (const leader of leaders.get(keyOf(each)) ?? []) addEdge(leader);
  };
  for (const [index, { effects }] of atoms.entries()) {
    others(effects.drops, (leader) => leader !== index && graph.addEdge(index, leader));
    others(effects.adds, (leader) => leader !== index && graph.addEdge(leader, index));
  }
}

/**
 * Puts a write that removes a derived reference to an object (`Shape.follows`) before writes by which the object removes its own
 * references.
 */
function addFollowers(graph: Graph, atoms: readonly Atom[]): void {
  const ending = new Map<string, number[]>();
  for (const [index, { effects }] of atoms.entries())
    for (const { follows, kinds, value } of effects.drops)
      if (follows === true) for (const kind of kinds) ending.set(`${kind}\n${value}`, [...(ending.get(`${kind}\n${value}`) ?? []), index]);
  if (ending.size === 0) return;
  for (const [index, { effects }] of atoms.entries()) {
    const holders = new Set(effects.drops.flatMap(({ holder }) => (holder === undefined ? [] : [`${holder.kind}\n${holder.name}`])));
    for (const holder of holders) for (const first of ending.get(holder) ?? []) if (first !== index) graph.addEdge(first, index);
  }
}

/** Puts all writes that free a key before the writes that take it. */
function addPairs(
  graph: Graph,
  atoms: readonly Atom[],
  frees: (effects: Effects) => string[],
  takes: (effects: Effects) => string[],
): void {
  const freeing = new Map<string, number[]>();
  for (const [index, { effects }] of atoms.entries())
    for (const key of frees(effects)) freeing.set(key, [...(freeing.get(key) ?? []), index]);
  if (freeing.size === 0) return;
  for (const [index, { effects }] of atoms.entries()) {
    for (const first of takes(effects).flatMap((key) => freeing.get(key) ?? [])) {
      if (first !== index || isDivisible(atoms[index])) graph.addEdge(first, index);
    }
  }
}
