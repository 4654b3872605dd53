import type { Atom } from "./atom.js";
import { cyclesOf, Graph } from "./graph.js";
import { referenceKey } from "./keys.js";
import { Catalog, type Definition, type Reference } from "./namespace.js";
import { isNested } from "./survey.js";

/**
 * Groups in groups. Where some write takes a group out of another and some write puts an existing one into another, each
 * group is finished before any write puts it somewhere: then finished groups hold finished groups only, and at no moment
 * does one contain itself. `nested` gives the live references of objects to their own kind, asked for only when needed.
 */
export function addNesting(graph: Graph, atoms: readonly Atom[], nested: () => readonly Reference[]): void {
  const drops = new Set<string>();
  const adds: Reference[] = [];
  const created = new Set<string>();
  for (const { effects } of atoms) {
    for (const reference of effects.drops) if (isNested(reference)) drops.add(referenceKey(reference));
    for (const reference of effects.adds) if (isNested(reference)) adds.push(reference);
    for (const definition of effects.creates) created.add(definition.path.toString());
  }
  if (drops.size === 0 || adds.every((reference) => created.has(holderPath(reference)))) return;
  const references = [...nested().filter((reference) => !drops.has(referenceKey(reference))), ...adds];
  const holders = new Map<string, Definition>();
  for (const { holder } of references) if (holder !== undefined) holders.set(holder.path.toString(), holder);
  connect(graph, atoms, [...holders.keys()], edgesOf(references, holders));
}

/** Pairs (inner, outer) of object paths. */
function edgesOf(references: readonly Reference[], holders: ReadonlyMap<string, Definition>): [string, string][] {
  const catalog = new Catalog();
  for (const holder of holders.values()) catalog.add(holder);
  const edges: [string, string][] = [];
  for (const reference of references) {
    const inner = catalog.resolve(reference);
    if (inner !== undefined) edges.push([inner.path.toString(), holderPath(reference)]);
  }
  return edges;
}

function connect(graph: Graph, atoms: readonly Atom[], objects: readonly string[], edges: readonly [string, string][]): void {
  const numbers = new Map(objects.map((path, index) => [path, index]));
  const loops = loopsOf(numbers, edges);
  const finished = objects.map(() => graph.addNode());
  const adding = new Map<number, number[]>();
  for (const [index, { effects }] of atoms.entries()) {
    for (const reference of [...effects.adds, ...effects.drops]) {
      const object = numbers.get(holderPath(reference));
      if (object !== undefined) graph.addEdge(index, finished[object] ?? index);
    }
    for (const object of new Set(effects.adds.filter(isNested).map((reference) => numbers.get(holderPath(reference)) ?? -1)))
      adding.set(object, [...(adding.get(object) ?? []), index]);
  }
  for (const [innerPath, outerPath] of edges) {
    const inner = numbers.get(innerPath) ?? -1;
    const outer = numbers.get(outerPath) ?? -1;
    if (loops[inner] !== -1 && loops[inner] === loops[outer]) continue;
    graph.addEdge(finished[inner] ?? 0, finished[outer] ?? 0);
    for (const index of adding.get(outer) ?? []) graph.addEdge(finished[inner] ?? 0, index);
  }
}

/** For each object the number of the loop that it will be in, or -1: nothing can be finished first there. */
function loopsOf(numbers: ReadonlyMap<string, number>, edges: readonly [string, string][]): Int32Array {
  const objects = new Graph(numbers.size);
  for (const [inner, outer] of edges) objects.addEdge(numbers.get(inner) ?? 0, numbers.get(outer) ?? 0);
  const loops = new Int32Array(numbers.size).fill(-1);
  for (const [loop, members] of cyclesOf(objects).entries()) for (const member of members) loops[member] = loop;
  return loops;
}

function holderPath({ holder }: Reference): string {
  return holder === undefined ? "" : holder.path.toString();
}
