import type { Atom } from "./atom.js";
import { type Constraints, constrain, type Dangling, type LiveNames } from "./constraints.js";
import { deferReferences } from "./defer.js";
import { dissolveEdit, divideEdit, divideSet } from "./divide.js";
import type { EffectFinder } from "./effect-finder.js";
import { type Exchanged, type Exchanges, exchangeNames } from "./exchange.js";
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

/** Each round divides every cycle once; what is still tied up after this many is refused rather than divided for ever. */
const ROUNDS = 100;

/** Puts atoms in an order that keeps every constraint after every operation, dividing writes where a cycle asks for it. */
export function sequence(given: readonly Atom[], live: LiveNames, finder: EffectFinder, exchanges: Exchanges): Sequence {
  let atoms = given;
  for (let round = 1; ; round += 1) {
    const constraints = constrain(atoms, live);
    const cycles = cyclesOf(constraints.graph).map((cycle) => cycle.filter((node) => node < atoms.length));
    if (cycles.length === 0) return { atoms: ordered(atoms, constraints), dangling: constraints.dangling, knots: [] };
    const next = round === ROUNDS ? undefined : breakCycles(atoms, cycles, constraints, live, finder, exchanges);
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

/**
 * The gentlest way that helps any cycle, for all cycles that it helps; the others wait for the next round. Undefined when
 * some cycle cannot be helped. Only exchanges touch writes outside of their cycle, so they share what they replace.
 */
function breakCycles(
  atoms: readonly Atom[],
  cycles: readonly (readonly number[])[],
  constraints: Constraints,
  live: LiveNames,
  finder: EffectFinder,
  exchanges: Exchanges,
): Atom[] | undefined {
  const parted = new Map(cycles.flatMap((cycle) => [...(divideEach(atoms, cycle, partsOf) ?? [])]));
  if (parted.size > 0) return withParts(atoms, parted);

  const split = new Map(cycles.flatMap((cycle) => [...(divideEach(atoms, cycle, (atom) => divideSet(atom, finder)) ?? [])]));
  if (split.size > 0) return withParts(atoms, split);

  const exchanged: Exchanged = { replaced: new Map(), added: [] };
  for (const cycle of cycles) exchangeNames(atoms, cycle, constraints, live.survey.references, finder, exchanges, exchanged);
  if (exchanged.added.length > 0) return [...withParts(atoms, exchanged.replaced), ...exchanged.added];

  const replaced = new Map<number, readonly Atom[]>();
  for (const cycle of cycles) {
    const change =
      releaseUnique(atoms, cycle, finder) ??
      divideEach(atoms, cycle, (atom) => dissolveEdit(atom, finder, exchanges.canMove)) ??
      divideEach(atoms, cycle, (atom) => divideEdit(atom, finder)) ??
      deferReferences(atoms, cycle, constraints, finder) ??
      withdrawReferences(atoms, cycle, constraints, finder);
    if (change === undefined) return undefined;
    for (const [index, parts] of change) replaced.set(index, parts);
  }
  return withParts(atoms, replaced);
}

function partsOf({ parts }: Atom): Atom[] | undefined {
  return parts === undefined ? undefined : [...parts];
}

function withParts(atoms: readonly Atom[], replaced: ReadonlyMap<number, readonly Atom[]>): Atom[] {
  return atoms.flatMap((atom, index) => replaced.get(index) ?? [atom]);
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
