import type { Operation } from "../core/operation.js";
import { pathOf } from "../core/tree/lookup.js";
import { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import { type Atom, soleOperation } from "./atom.js";
import type { Constraints } from "./constraints.js";
import { without } from "./divide.js";
import type { EffectFinder } from "./effect-finder.js";
import { cyclesOf, Graph, schedule } from "./graph.js";
import type { NameReference } from "./namespace.js";
import { rowAround } from "./row.js";

/**
 * Handles new objects that refer to each other. Each is created without the references that do not resolve yet; a second `set` adds them
 * once all objects exist. Returns undefined if a reference cannot be deferred, or for another kind of cycle.
 */
export function deferReferences(
  atoms: readonly Atom[],
  cycle: readonly number[],
  constraints: Constraints,
  finder: EffectFinder,
): Map<number, Atom[]> | undefined {
  const members = cycle.filter((index) => (atoms[index]?.effects.creates.length ?? 0) > 0 && operationOf(atoms[index]) !== undefined);
  const rank = ranks(atoms, members, constraints, finder);
  if (rank === undefined) return undefined;
  const replaced = new Map<number, Atom[]>();
  for (const index of members) {
    const atom = atoms[index];
    if (atom === undefined) continue;
    const early = atom.effects.adds.filter((reference) => {
      const maker = makerOf(reference, constraints);
      return maker !== undefined && maker !== index && rank.has(maker) && (rank.get(maker) ?? 0) > (rank.get(index) ?? 0);
    });
    if (early.length > 0) replaced.set(index, defer(atom, early, finder));
  }
  return replaced.size === 0 ? undefined : replaced;
}

function operationOf(atom: Atom | undefined): (Operation & { readonly action: "set" }) | undefined {
  const operation = atom === undefined ? undefined : soleOperation(atom);
  return operation?.action === "set" ? operation : undefined;
}

function makerOf(reference: NameReference, constraints: Constraints): number | undefined {
  const definition = constraints.after(reference);
  return definition === undefined ? undefined : constraints.creator.get(definition);
}

/** Returns an order of creation for all references that cannot be deferred, or undefined. */
function ranks(
  atoms: readonly Atom[],
  members: readonly number[],
  constraints: Constraints,
  finder: EffectFinder,
): Map<number, number> | undefined {
  const places = new Map(members.map((index, place) => [index, place]));
  const firm = new Graph(members.length);
  for (const [place, index] of members.entries()) {
    for (const reference of atoms[index]?.effects.adds ?? []) {
      const maker = places.get(makerOf(reference, constraints) ?? -1);
      if (maker === undefined || maker === place) continue;
      if (!canWait(reference, operationOf(atoms[index]), finder)) firm.addEdge(maker, place);
    }
  }
  if (cyclesOf(firm).length > 0) return undefined;
  return new Map(schedule(firm, () => []).map((place, rank) => [members[place] ?? -1, rank]));
}

/**
 * References in match lists cannot wait, because the lists must not be empty. The name of an entry cannot wait either: the entry cannot be
 * created without it.
 */
function canWait(reference: NameReference, operation: (Operation & { readonly action: "set" }) | undefined, finder: EffectFinder): boolean {
  if (reference.path.name !== undefined) return false;
  const list = reference.path.parent;
  if (reference.path.text === undefined || list === undefined || operation === undefined) return true;
  const { shape } = finder.place(list);
  return !shape.matchList;
}

function defer(atom: Atom, early: readonly NameReference[], finder: EffectFinder): Atom[] {
  const operation = operationOf(atom);
  if (operation === undefined) return [atom];
  // A rule without its remote group would be open to everyone, so the complete rule waits.
  const paths = new Set(early.map(({ path }) => rowAround(path, finder).toString()));
  const top = pathOf(operation.at, operation.element);
  const reduced: Operation = { ...operation, element: prune(operation.element, top, paths) ?? operation.element };
  const rest: Operation = { ...operation, element: keepOnly(operation.element, top, paths) ?? operation.element };
  const effects = finder.of([reduced]);
  const token = {};
  const first: Atom = { ...atom, operations: [reduced], effects, piece: undefined, token, divided: true };
  const second: Atom = {
    ...atom,
    operations: [rest],
    phase: "update",
    effects: without(atom.effects, effects),
    piece: undefined,
    divided: true,
    after: [token],
  };
  return [first, second];
}

/** Removes the nodes at `paths`, and lists that become empty. */
function prune(node: TreeNode, path: Path, paths: ReadonlySet<string>): TreeNode | undefined {
  if (paths.has(path.toString())) return undefined;
  if (node.children.length === 0) return node;
  const children = node.children.map((child) => prune(child, pathOf(path, child), paths)).filter((child) => child !== undefined);
  if (children.length === 0 && node.name === undefined) return undefined;
  return new TreeNode(node.tag, node.name, node.text, children, node.attributes);
}

/** Keeps only the nodes at `paths` and their ancestors. */
function keepOnly(node: TreeNode, path: Path, paths: ReadonlySet<string>): TreeNode | undefined {
  if (paths.has(path.toString())) return node;
  const children = node.children.map((child) => keepOnly(child, pathOf(path, child), paths)).filter((child) => child !== undefined);
  return children.length === 0 ? undefined : new TreeNode(node.tag, node.name, "", children);
}
