import { touchedPath } from "../core/operation.js";
import { shapeAt } from "../core/tree/lookup.js";
import { markTag } from "../core/tree/owner-mark.js";
import type { Shape } from "../core/tree/shape.js";
import type { Atom } from "./atom.js";
import { soleOperation } from "./atom.js";
import type { EffectFinder } from "./effect-finder.js";
import { markedEntry } from "./objects.js";

/**
 * Merges writes to parts of one existing object into one write (`Capabilities.completeObjectWrites`): the platform may refuse the states in
 * between, such as two overlapping address ranges. They are divided again if no order allows the merged write (`Atom.parts`).
 */
export function oneWriteAnObject(atoms: readonly Atom[], root: Shape, finder: EffectFinder): Atom[] {
  const groups = new Map<string, Atom[]>();
  for (const atom of atoms) {
    const object = partOf(atom, root);
    const group = object === undefined ? undefined : groups.get(object);
    if (group !== undefined) group.push(atom);
    else groups.set(object ?? `of its own ${groups.size}`, [atom]);
  }
  return [...groups.values()].map((group) => (group.length === 1 ? (group[0] as Atom) : joined(group, finder)));
}

/** Returns the object of which the atom writes a part. Undefined for writes that create, replace or delete objects. */
function partOf(atom: Atom, root: Shape): string | undefined {
  const operation = soleOperation(atom);
  if (operation === undefined || atom.phase === "create" || atom.phase === "move") return undefined;
  const path = touchedPath(operation);
  const object = markedEntry(path, root);
  if (object === undefined || (operation.action !== "set" && object.equals(path))) return undefined;
  const shape = shapeAt(path, root);
  return shape.kind === "list" && markTag(shape.child("entry")) !== undefined ? undefined : object.toString();
}

function joined(parts: readonly Atom[], finder: EffectFinder): Atom {
  const operations = parts.flatMap((part) => part.operations);
  return {
    operations,
    phase: "update",
    changes: [...new Set(parts.flatMap(({ changes }) => changes))],
    effects: finder.of(operations),
    fragment: -1,
    after: parts.flatMap(({ after }) => after ?? []),
    divided: true,
    parts,
  };
}
