import type { Operation } from "../core/operation.js";
import type { Atom } from "./atom.js";
import { type Constraints, constrain, type Dangling, type LiveNames } from "./constraints.js";
import { deferReferences } from "./defer-references.js";
import { dissolveEdit, divideEdit, divideSet, without } from "./divide.js";
import type { EffectFinder } from "./effect-finder.js";
import { type Exchanged, type Exchanges, exchangeNames } from "./exchange.js";
import { cyclesOf, depths, schedule } from "./graph.js";
import type { Phase } from "./model.js";
import { withdrawReferences } from "./withdraw-references.js";

const PHASES: readonly Phase[] = ["rename", "create", "update", "move", "delete"];

export interface Sequence {
  readonly atoms: readonly Atom[];
  readonly dangling: readonly Dangling[];
  /** Atoms without a valid order even after division, one group per cycle. */
  readonly knots: readonly (readonly Atom[])[];
}

/** Maximum number of rounds. Each round divides every cycle once; cycles that remain are refused. */
const ROUNDS = 100;

/** Orders atoms so that every constraint holds after every operation. Divides writes in cycles. */
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

/**
 * Orders by phase, then by length of the chain that leads to a write, then additions before deletions. Otherwise keeps the order of the
 * fragments.
 */
function ordered(atoms: readonly Atom[], { graph }: Constraints): Atom[] {
  const depth = depths(graph);
  const keys = atoms.map((atom, index) => [PHASES.indexOf(atom.phase), depth[index] ?? 0, atom.operations[0]?.action === "delete" ? 1 : 0]);
  const none = [0];
  return schedule(graph, (node) => keys[node] ?? none)
    .filter((node) => node < atoms.length)
    .map((node) => ({ ...(atoms[node] as Atom), layer: depth[node] ?? 0 }));
}

/**
 * Breaks cycles by the least invasive way that works for any of them. The others wait for the next round. Returns undefined if a cycle
 * cannot be broken. Only exchanges change writes outside their cycle, so all cycles share their replacements.
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

/**
 * Handles entries that swap a unique value, such as two sub-interfaces with VLAN tags. One of them removes its own value first, and takes
 * the other's as soon as that one is free. Returns undefined if no write of the cycle both frees and takes such a value.
 */
function releaseUnique(atoms: readonly Atom[], cycle: readonly number[], finder: EffectFinder): Map<number, Atom[]> | undefined {
  const inCycle = new Set(cycle);
  const taken = new Set(atoms.flatMap(({ effects }, index) => (inCycle.has(index) ? effects.takes.map(({ key }) => key) : [])));
  for (const index of cycle) {
    const atom = atoms[index];
    if (atom === undefined || atom.effects.takes.length === 0) continue;
    const freed = atom.effects.frees.filter(({ key }) => taken.has(key));
    if (freed.length === 0) continue;
    const operations: Operation[] = freed.map(({ path }) => ({ action: "delete", at: path }));
    const effects = finder.of(operations);
    const token = {};
    const first: Atom = { token, operations, effects, phase: "update", changes: atom.changes, fragment: -1, divided: true };
    return new Map([[index, [first, { ...atom, effects: without(atom.effects, effects), after: [...(atom.after ?? []), token] }]]]);
  }
  return undefined;
}
