import type { Operation } from "../core/operation.js";
import { pathOf } from "../core/tree/lookup.js";
import { TreeNode } from "../core/tree/node.js";
import { type Atom, isDivisible, soleOperation } from "./atom.js";
import { counterpart } from "./counterpart.js";
import type { EffectFinder } from "./effect-finder.js";
import type { Effects } from "./effects.js";
import { explodeEdit } from "./explode.js";
import { referenceKey } from "./keys.js";
import { pieceOperation, splitSet } from "./split-set.js";

/** Divides a `set` into one atom per part. Returns undefined if it cannot be divided. */
export function divideSet(atom: Atom, finder: EffectFinder): Atom[] | undefined {
  const operation = soleOperation(atom);
  if (!isDivisible(atom) || operation?.action !== "set") return undefined;
  const pieces = splitSet(operation.element, finder.place(pathOf(operation.at, operation.element)).shape);
  return pieces.map((piece) => {
    const part = pieceOperation(operation.at, piece);
    return { ...atom, operations: [part], effects: finder.of([part]), piece, divided: true };
  });
}

/**
 * Divides an `edit` into a `set` of its additions and the `edit` itself, which then only removes nodes. Returns undefined without
 * additions.
 */
export function divideEdit(atom: Atom, finder: EffectFinder): Atom[] | undefined {
  const operation = soleOperation(atom);
  if (atom.divided === true || operation?.action !== "edit" || operation.at.parent === undefined) return undefined;
  const live = finder.live(operation.at);
  const added = live === undefined ? undefined : additions(operation.element, live);
  if (added === undefined) return undefined;
  const set: Operation = { action: "set", at: operation.at.parent, element: added };
  const token = {};
  const first: Atom = { ...atom, operations: [set], effects: finder.of([set]), token, divided: true };
  return [first, { ...atom, effects: without(atom.effects, first.effects), after: [...(atom.after ?? []), token], divided: true }];
}

/** Divides an `edit` into equivalent writes that can be ordered separately. Returns undefined for other operations and divided atoms. */
export function dissolveEdit(atom: Atom, finder: EffectFinder, canMove: boolean): Atom[] | undefined {
  const operation = soleOperation(atom);
  const live = operation === undefined ? undefined : finder.live(operation.at);
  if (atom.divided === true || operation?.action !== "edit" || live === undefined) return undefined;
  const parts = explodeEdit(operation, live, finder.place(operation.at).shape, canMove);
  if (parts === undefined || (parts.length === 1 && parts[0]?.action === "edit")) return undefined;
  return parts.map((part) => {
    const phase = part.action === "delete" && part.at.name !== undefined ? "delete" : "update";
    return { ...atom, operations: [part], phase, effects: finder.of([part]) };
  });
}

/** Returns the part of `wanted` without a counterpart in `live`, with its ancestors. */
function additions(wanted: TreeNode, live: TreeNode): TreeNode | undefined {
  const children: TreeNode[] = [];
  for (const child of wanted.children) {
    const there = counterpart(live, child);
    const part = there === undefined ? child : additions(child, there);
    if (part !== undefined) children.push(part);
  }
  return children.length === 0 ? undefined : new TreeNode(wanted.tag, wanted.name, "", children, wanted.attributes);
}

/** Returns the effects of a write without those in `taken`. */
export function without(effects: Effects, taken: Effects): Effects {
  const paths = (list: readonly { readonly path: { toString(): string } }[]): Set<string> =>
    new Set(list.map(({ path }) => path.toString()));
  const creates = paths(taken.creates);
  const removes = paths(taken.removes);
  const adds = new Set(taken.adds.map(referenceKey));
  const drops = new Set(taken.drops.map(referenceKey));
  const takes = new Set(taken.takes.map(({ key }) => key));
  const frees = new Set(taken.frees.map(({ key }) => key));
  const chosen = new Set(taken.chooses);
  const sites = new Map(taken.lists.map((list) => [list.site, list]));
  return {
    creates: effects.creates.filter(({ path }) => !creates.has(path.toString())),
    removes: effects.removes.filter(({ path }) => !removes.has(path.toString())),
    adds: effects.adds.filter((reference) => !adds.has(referenceKey(reference))),
    drops: effects.drops.filter((reference) => !drops.has(referenceKey(reference))),
    takes: effects.takes.filter(({ key }) => !takes.has(key)),
    frees: effects.frees.filter(({ key }) => !frees.has(key)),
    chooses: effects.chooses.filter((key) => !chosen.has(key)),
    unchooses: effects.unchooses,
    claims: effects.claims,
    lists: effects.lists.map((list) => ({ ...list, added: list.added - (sites.get(list.site)?.added ?? 0) })),
  };
}
