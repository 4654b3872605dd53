import type { Path } from "../core/tree/path.js";
import type { Atom } from "./atom.js";
import type { Definition } from "./namespace.js";

/** A name that one object gives up and another takes, in another scope or of another kind. */
interface HandedOver {
  readonly name: string;
  readonly from: Definition;
  readonly to: Definition;
}

/** Writes without a valid order. */
export interface UnsolvedCycle {
  /** Paths of the writes. */
  readonly paths: readonly Path[];
  /**
   * Names that pass between objects in the plan and that these writes create, delete or use. If there are none, all such names of the plan.
   */
  readonly names: readonly HandedOver[];
}

/** Describes a cycle. `knot` contains the remaining writes, `atoms` all writes before any division. */
export function unsolvedCycle(knot: readonly Atom[], atoms: readonly Atom[]): UnsolvedCycle {
  const touched = new Set<string>();
  for (const { effects } of knot) {
    for (const { name } of [...effects.creates, ...effects.removes]) touched.add(name);
    for (const { value } of [...effects.adds, ...effects.drops]) touched.add(value);
  }
  const all = handedOver(atoms);
  const near = all.filter(({ name }) => touched.has(name));
  return { paths: knot.flatMap(({ operations }) => operations.map(({ at }) => at)), names: near.length > 0 ? near : all };
}

function handedOver(atoms: readonly Atom[]): HandedOver[] {
  const removed = new Map<string, Definition>();
  for (const { effects } of atoms)
    for (const definition of effects.removes) removed.set(`${definition.namespace}\n${definition.name}`, definition);
  return atoms.flatMap(({ effects }) =>
    effects.creates.flatMap((to): HandedOver[] => {
      const from = removed.get(`${to.namespace}\n${to.name}`);
      return from === undefined || from.path.equals(to.path) ? [] : [{ name: to.name, from, to }];
    }),
  );
}
