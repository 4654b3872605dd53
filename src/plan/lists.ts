import type { Operation } from "../core/operation.js";
import { find, pathOf } from "../core/tree/lookup.js";
import type { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { DesiredNode } from "../desired/model.js";
import type { Atom } from "./atom.js";
import { arrangeBlocks, declaredBlocks } from "./blocks.js";
import type { Change } from "./diff/change.js";
import type { EffectFinder } from "./effect-finder.js";
import { noEffects } from "./effects.js";
import { minimalMoves } from "./moves.js";

/** State of one ordered list while writes are applied one by one. */
interface ListState {
  readonly path: Path;
  readonly changes: number[];
  /** Names in their order after the writes. A platform appends new entries. */
  readonly names: Set<string>;
  readonly created: Set<string>;
}

/** Returns the moves that put ordered lists into the desired order after `atoms` are written: one atom per list. */
export function moveAtoms(changes: readonly Change[], atoms: readonly Atom[], desired: DesiredNode, finder: EffectFinder): Atom[] {
  const lists = listsToOrder(changes, atoms, finder);
  if (lists.size === 0) return [];
  for (const atom of atoms) for (const operation of atom.operations) follow(operation, lists, finder);
  return [...lists.values()].flatMap((list) => movesOf(list, find(desired, list.path)));
}

/** Returns lists with a different order, with new entries, or with entries from several writes. */
function listsToOrder(changes: readonly Change[], atoms: readonly Atom[], finder: EffectFinder): Map<string, ListState> {
  const lists = new Map<string, ListState>();
  const need = (path: Path, change: number | undefined): void => {
    const key = path.toString();
    const known = lists.get(key) ?? { path, changes: [], names: liveNames(finder.live(path)), created: new Set<string>() };
    lists.set(key, known);
    if (change !== undefined) known.changes.push(change);
  };
  for (const [index, change] of changes.entries()) {
    if (change.kind === "order") need(change.path, index);
    else if (change.kind === "missing" && change.path.name !== undefined && isOrdered(change.path.parent, finder))
      need(change.path.parent as Path, index);
  }
  for (const { piece, operations } of atoms) {
    const operation = operations[0];
    if (piece?.node.name === undefined || operation?.action !== "set") continue;
    const list = [...piece.above].reduce((path, frame) => pathOf(path, frame), operation.at);
    if (isOrdered(list, finder)) need(list, undefined);
  }
  return lists;
}

function isOrdered(list: Path | undefined, finder: EffectFinder): boolean {
  const shape = list === undefined ? undefined : finder.place(list).shape;
  return shape?.kind === "list" && shape.ordered;
}

function liveNames(list: TreeNode | undefined): Set<string> {
  return new Set((list?.children ?? []).map((child) => child.name).filter((name) => name !== undefined));
}

function follow(operation: Operation, lists: ReadonlyMap<string, ListState>, finder: EffectFinder): void {
  const { action, at } = operation;
  if (action === "set") merge(operation.element, pathOf(at, operation.element), at, lists, finder);
  if (action === "delete" && at.name !== undefined && at.parent !== undefined) lists.get(at.parent.toString())?.names.delete(at.name);
  if (action === "edit") {
    const list = lists.get(at.toString());
    if (list === undefined) return;
    list.names.clear();
    for (const child of operation.element.children) if (child.name !== undefined) list.names.add(child.name);
  }
}

function merge(element: TreeNode, path: Path, parent: Path, lists: ReadonlyMap<string, ListState>, finder: EffectFinder): void {
  if (element.name !== undefined) append(lists.get(parent.toString()), element.name);
  if (element.children.every((child) => child.children.length === 0 && child.name === undefined)) return;
  for (const child of element.children)
    if (child.name !== undefined || child.children.length > 0) merge(child, pathOf(path, child), path, lists, finder);
}

function append(list: ListState | undefined, name: string): void {
  if (list === undefined || list.names.has(name)) return;
  list.names.add(name);
  list.created.add(name);
}

function movesOf(list: ListState, wanted: DesiredNode | undefined): Atom[] {
  if (wanted === undefined) return [];
  const blocks = declaredBlocks(wanted, list.names);
  const live = [...list.names].filter((name) => !list.created.has(name));
  const arranged = arrangeBlocks(live, blocks);
  if (!("order" in arranged)) return [];
  const declaredNames = new Set(blocks.flatMap(({ declared }) => declared));
  const pinned = new Set(live.filter((name) => !declaredNames.has(name)));
  const operations = minimalMoves([...list.names], arranged.order, pinned).map(({ name, after }): Operation => {
    const at = list.path.entry(name);
    return after === undefined ? { action: "move", at, where: "top" } : { action: "move", at, where: "after", anchor: after };
  });
  if (operations.length === 0) return [];
  return [{ operations, phase: "move", changes: list.changes, effects: noEffects(), fragment: -1 }];
}
