import type { Operation } from "../core/operation.js";
import type { Atom } from "./atom.js";
import { soleOperation } from "./atom.js";
import type { Constraints } from "./constraints.js";
import { without } from "./divide.js";
import type { EffectFinder } from "./effect-finder.js";
import type { NameReference } from "./namespace.js";
import { rowAround } from "./row.js";

/**
 * Handles writes that remove references and wait for each other, such as deletes of two objects that refer to each other. The first
 * suitable write of the cycle removes its references separately. Returns undefined if an entry or a match list needs all of these
 * references.
 */
export function withdrawReferences(
  atoms: readonly Atom[],
  cycle: readonly number[],
  constraints: Constraints,
  finder: EffectFinder,
): Map<number, Atom[]> | undefined {
  const inCycle = new Set(cycle);
  for (const index of cycle) {
    const atom = atoms[index];
    const action = atom === undefined ? undefined : soleOperation(atom)?.action;
    if (atom === undefined || (action !== "delete" && action !== "edit")) continue;
    const early = atom.effects.drops.filter((reference) => {
      const definition = constraints.before(reference);
      const remover = definition === undefined ? undefined : constraints.remover.get(definition);
      return remover !== undefined && remover !== index && inCycle.has(remover) && canGo(reference, finder);
    });
    const rows = new Map(early.map(({ path }) => rowAround(path, finder)).map((path) => [path.toString(), path]));
    const operations: Operation[] = [...rows.values()].map((at) => ({ action: "delete", at }));
    const itself = soleOperation(atom)?.at;
    if (operations.length === 0 || operations.some(({ at }) => itself?.equals(at))) continue;
    const effects = finder.of(operations);
    const token = {};
    const first: Atom = { token, operations, effects, phase: "update", changes: atom.changes, fragment: -1, divided: true };
    return new Map([[index, [first, { ...atom, effects: without(atom.effects, effects), after: [...(atom.after ?? []), token] }]]]);
  }
  return undefined;
}

function canGo({ path }: NameReference, finder: EffectFinder): boolean {
  if (path.name !== undefined) return false;
  return path.text === undefined || path.parent === undefined || !finder.place(path.parent).shape.matchList;
}
