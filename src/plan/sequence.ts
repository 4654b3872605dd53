import type { Atom } from "./atom.js";
import { type Constraints, constrain, type Dangling, type LiveNames } from "./constraints.js";
import { deferReferences } from "./defer.js";
import { divideEdit, divideSet } from "./divide.js";
import type { EffectFinder } from "./effect-finder.js";
import { type Exchanges, exchangeNames } from "./exchange.js";
import { cyclesOf, depths, schedule } from "./graph.js";
import type { Phase } from "./model.js";
import { releaseUnique } from "./release.js";
import { withdrawReferences } from "./withdraw.js";

const PHASES: readonly Phase[] = ["rename", "create", "update", "move", "delete"];

export interface Sequence {
  readonly atoms: readonly Atom[];
  readonly dangling: readonly Dangling[];
  /** Atoms that no order and no division satisfies, one group for each knot. */
  readonly knots: readonly (readonly Atom[])[];
}

/** Puts atoms in an order that keeps every constraint after every operation, dividing writes where a cycle asks for it. */
export function sequence(given: readonly Atom[], live: LiveNames, finder: EffectFinder, exchanges: Exchanges): Sequence {
  let atoms = given;
  for (;;) {
    const constraints = constrain(atoms, live);
    const cycles = cyclesOf(constraints.graph).map((cycle) => cycle.filter((node) => node < atoms.length));
    if (cycles.length === 0) return { atoms: ordered(atoms, constraints), dangling: constraints.dangling, knots: [] };
    const next = breakCycles(atoms, cycles, constraints, live, finder, exchanges);
    if (next === undefined) {
      return { atoms: [], dangling: constraints.dangling, knots: cycles.map((cycle) => cycle.map((index) => atoms[index] as Atom)) };
    }
    atoms = next;
  }
}

/** Phase first, then how long the chain is that leads to a write, adding before taking away; else as the fragments came. */
function ordered(atoms: readonly Atom[], { graph }: Constraints): Atom[] {
  const depth = depths(graph);
  const keys = atoms.map((atom, index) => [PHASES.indexOf(atom.phase), depth[index] ?? 0, atom.operations[0]?.action === "delete" ? 1 : 0]);
  const none = [0];
  return schedule(graph, (node) => keys[node] ?? none)
    .filter((node) => node < atoms.length)
    .map((node) => ({ ...(atoms[node] as Atom), layer: depth[node] ?? 0 }));
}

/** One way of dividing for each cycle, the gentlest that helps; undefined when some cycle cannot be helped. */
function breakCycles(
  atoms: readonly Atom[],
  cycles: readonly (readonly number[])[],
  constraints: Constraints,
  live: LiveNames,
  finder: EffectFinder,
  exchanges: Exchanges,
): Atom[] | undefined {
  const replaced = new Map<number, readonly Atom[]>();
  const added: Atom[] = [];
  for (const cycle of cycles) {
    const exchange = (): Map<number, Atom[]> | undefined => {
      const exchanged = exchangeNames(atoms, cycle, constraints, live.survey.references, finder, exchanges);
      added.push(...(exchanged?.added ?? []));
      return exchanged?.replaced;
    };
    const change =
      divideEach(atoms, cycle, (atom) => divideSet(atom, finder)) ??
      exchange() ??
      releaseUnique(atoms, cycle, finder) ??
      divideEach(atoms, cycle, (atom) => divideEdit(atom, finder)) ??
      deferReferences(atoms, cycle, constraints, finder) ??
      withdrawReferences(atoms, cycle, constraints, finder);
    if (change === undefined) return undefined;
    for (const [index, parts] of change) replaced.set(index, parts);
  }
  return [...atoms.flatMap((atom, index) => replaced.get(index) ?? [atom]), ...added];
}

function divideEach(
  atoms: readonly Atom[],
  cycle: readonly number[],
  divide: (atom: Atom) => Atom[] | undefined,
): Map<number, Atom[]> | undefined {
  const replaced = new Map<number, Atom[]>();
  for (const index of cycle) {
    const parts = divide(atoms[index] as Atom);
    if (parts !== undefined) replaced.set(index, parts);
  }
  return replaced.size === 0 ? undefined : replaced;
}
