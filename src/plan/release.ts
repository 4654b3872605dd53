import type { Operation } from "../core/operation.js";
import type { Atom } from "./atom.js";
import { without } from "./divide.js";
import type { EffectFinder } from "./effect-finder.js";

/**
 * Handles entries that swap a unique value, such as two sub-interfaces with VLAN tags. One of them removes its own value first, and takes
 * the other's as soon as that one is free. Returns undefined if no write of the cycle both frees and takes such a value.
 */
export function releaseUnique(atoms: readonly Atom[], cycle: readonly number[], finder: EffectFinder): Map<number, Atom[]> | undefined {
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
