import { type Atom, isDivisible } from "./atom.js";
import type { Effects, UniqueValue } from "./effects.js";
import { Graph } from "./graph.js";
import { nameKey, referenceKey } from "./keys.js";
import { Catalog, type Definition, distance, type NameReference } from "./namespace.js";
import { addNesting } from "./nesting.js";
import { isNested, type Survey } from "./survey.js";

/*
 * What must come before what. Each row is checked by test/plan/constraints.test.ts.
 *
 *   first                                   then                                     because
 *   --------------------------------------  ---------------------------------------  -------------------------------------------
 *   create of an object                     write that begins to name it             a name must resolve
 *   write that ceases to name an object     delete of that object                    a name must resolve
 *   create of an object                     delete of another that stands for the    a name that stays must resolve all the time
 *                                           same name, in another scope or kind
 *   delete of an object                     create of another with its name in the   a namespace holds a name once
 *                                           same scope and namespace
 *   writes that add to a list of which      writes that take the last old members    an empty list would mean `any`
 *   no old member stays                     away
 *   write that frees a unique value         write that takes it                      two entries cannot hold it
 *   write that begins or ceases to name an  write that begins to name it elsewhere   a port gets no trunk while a server has it
 *   object where that leads
 *   write that ceases to name an object     write that begins or ceases to name it   a trunk does not go while a server has its
 *                                           where that leads                         port
 *   write that ends a derived reference     write by which the object ceases to      a router keeps an interface that a floating
 *   to an object                            name another                             IP uses
 *   delete of one side of a choice          set of another side                      a device refuses both, or keeps one silently
 *   delete of a group that hides another    write that puts the other into a group   the name would lead to the wrong one, which
 *   of its name from where it is named                                               may be the group itself
 *   writes that finish a group              writes that put it into another group    groups never contain themselves, also for
 *                                                                                    a moment
 *
 * A cycle in it is broken by dividing a write (breakCycles in sequence.ts).
 */

/** A reference that stays although nothing will answer to its name. */
export interface Dangling {
  readonly reference: NameReference;
  readonly removed: Definition;
}

export interface Constraints {
  readonly graph: Graph;
  readonly dangling: readonly Dangling[];
  /** Objects by the atom that makes or removes them. */
  readonly creator: ReadonlyMap<Definition, number>;
  readonly remover: ReadonlyMap<Definition, number>;
  /** What a reference meant in the live tree, and will mean. */
  before(reference: NameReference): Definition | undefined;
  after(reference: NameReference): Definition | undefined;
}

/** What the live tree says of names, after renames. */
export interface LiveNames {
  /** Every object and reference of a name that is made, removed or renamed away. */
  readonly survey: Survey;
  /** Objects under their names before a rename. */
  readonly renamed: readonly Definition[];
  nested(): readonly NameReference[];
}

/** Builds the graph over `atoms`: nodes are their indexes, and some more behind. */
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
  addPairs(
    graph,
    atoms,
    (effects) => effects.unchooses,
    (effects) => effects.chooses,
  );
  addNesting(graph, atoms, live.nested);
  const dangling = addStanding(graph, atoms, live, { before, after, creator, remover });
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
      const gone = definition === undefined ? undefined : remover.get(definition);
      if (gone !== undefined && gone !== index) graph.addEdge(index, gone);
    }
  }
}

/**
 * The write that deletes a group which, for as long as it stands, hides the object that a group is to name: the name would
 * lead to the group, which may be the one that names it.
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

/** References that no write touches: what they mean must change hands before the old meaning goes. */
function addStanding(graph: Graph, atoms: readonly Atom[], live: LiveNames, names: Names): Dangling[] {
  const dropped = new Set<string>();
  for (const { effects } of atoms) for (const reference of effects.drops) dropped.add(referenceKey(reference));
  const renamed = new Set(live.renamed);
  const dangling: Dangling[] = [];
  for (const reference of live.survey.references) {
    const removed = names.before.resolve(reference);
    const gone = removed === undefined ? undefined : names.remover.get(removed);
    if (removed === undefined || (gone === undefined && !renamed.has(removed)) || dropped.has(referenceKey(reference))) continue;
    const heir = names.after.resolve(reference);
    const made = heir === undefined ? undefined : names.creator.get(heir);
    if (heir === undefined) dangling.push({ reference, removed });
    else if (made !== undefined && gone !== undefined && made !== gone) graph.addEdge(made, gone);
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

/** Where a reference leads (`Shape.leads`): who ceases to name its object comes before, who begins to after it. */
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

/** A write that ends a derived reference to an object (`Shape.follows`) comes before writes by which the object gives up what it names. */
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

/** All writes that give a key up come before the writes that take it. */
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
