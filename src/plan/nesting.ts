import type { Atom } from "./atom.js";
import { cyclesOf, Graph } from "./graph.js";
import { referenceKey } from "./keys.js";
import { Catalog, type NameReference } from "./namespace.js";
import { isNested } from "./reference-index.js";

/**
 * Orders writes to groups in groups. If a write removes a group from another one and a write adds an existing group to another one, each
 * group and its content are completed before any write adds the group elsewhere. Then a group never contains itself, not even temporarily.
 * A new group counts if its name hides another one that groups still contain. `nested` returns the live references of objects to their own
 * kind; called only when needed.
 */
export function addNesting(graph: Graph, atoms: readonly Atom[], nested: () => readonly NameReference[]): void {
  const drops = new Map<string, NameReference>();
  const adds: NameReference[] = [];
  const created = new Set<string>();
  for (const { effects } of atoms) {
    for (const reference of effects.drops) if (isNested(reference)) drops.set(referenceKey(reference), reference);
    for (const reference of effects.adds) if (isNested(reference)) adds.push(reference);
    for (const definition of effects.creates) created.add(definition.path.toString());
  }
  const droppedNames = new Set([...drops.values()].map(({ value }) => value));
  const isNew = (reference: NameReference): boolean =>
    created.has(holderPath(reference)) && !droppedNames.has(reference.holder?.name ?? "");
  if (drops.size === 0 || adds.every(isNew)) return;
  const remaining = nested().filter((reference) => !drops.has(referenceKey(reference)));
  const objects = new Objects([...remaining, ...adds, ...drops.values()]);
  connect(graph, atoms, objects, remaining);
}

/** The relevant groups, numbered. */
class Objects {
  readonly #numbers = new Map<string, number>();
  readonly #catalog = new Catalog();

  constructor(references: readonly NameReference[]) {
    for (const { holder } of references) {
      if (holder === undefined || this.#numbers.has(holder.path.toString())) continue;
      this.#numbers.set(holder.path.toString(), this.#numbers.size);
      this.#catalog.add(holder);
    }
  }

  get count(): number {
    return this.#numbers.size;
  }

  holder(reference: NameReference): number | undefined {
    return this.#numbers.get(holderPath(reference));
  }

  /** Returns the group of a reference, or undefined if the object contains no references. */
  meant(reference: NameReference): number | undefined {
    const definition = this.#catalog.resolve(reference);
    return definition === undefined ? undefined : this.#numbers.get(definition.path.toString());
  }
}

function connect(graph: Graph, atoms: readonly Atom[], objects: Objects, remaining: readonly NameReference[]): void {
  const finished = Array.from({ length: objects.count }, () => graph.addNode());
  const nodeOf = (object: number): number => finished[object] ?? 0;
  const edges: { readonly inner: number; readonly outer: number; readonly atom: number | undefined }[] = [];
  const note = (reference: NameReference, atom: number | undefined): void => {
    const inner = objects.meant(reference);
    const outer = objects.holder(reference);
    if (inner !== undefined && outer !== undefined) edges.push({ inner, outer, atom });
  };
  for (const reference of remaining) note(reference, undefined);
  for (const [index, { effects }] of atoms.entries()) {
    for (const reference of effects.adds) if (isNested(reference)) note(reference, index);
    for (const reference of [...effects.adds, ...effects.drops]) {
      const object = objects.holder(reference);
      if (object !== undefined) graph.addEdge(index, nodeOf(object));
    }
  }
  const loops = loopsOf(objects.count, edges);
  for (const { inner, outer, atom } of edges) {
    if (loops[inner] !== -1 && loops[inner] === loops[outer]) continue;
    graph.addEdge(nodeOf(inner), nodeOf(outer));
    if (atom !== undefined) graph.addEdge(nodeOf(inner), atom);
  }
}

/** Returns for each object the number of its cycle, or -1. Objects in a cycle cannot be completed first. */
function loopsOf(count: number, edges: readonly { readonly inner: number; readonly outer: number }[]): Int32Array {
  const objects = new Graph(count);
  for (const { inner, outer } of edges) objects.addEdge(inner, outer);
  const loops = new Int32Array(count).fill(-1);
  for (const [loop, members] of cyclesOf(objects).entries()) for (const member of members) loops[member] = loop;
  return loops;
}

function holderPath({ holder }: NameReference): string {
  return holder === undefined ? "" : holder.path.toString();
}
