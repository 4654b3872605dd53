import { find, pathOf, shapeAt } from "../core/tree/lookup.js";
import type { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import type { DesiredNode } from "../desired/model.js";
import { arrangeBlocks, declaredBlocks } from "./blocks.js";
import type { Change } from "./diff/change.js";
import type { Fragment } from "./fragment.js";
import { splitSet } from "./split-set.js";

/** A live ordered list that needs more than appending to get into order. */
export interface PlacedList {
  readonly path: Path;
  readonly shape: Shape;
  readonly live: TreeNode;
  readonly desired: DesiredNode;
  /** Index of the `order` change, if there is one. */
  readonly change: number | undefined;
  /** All names in the desired order. */
  readonly order: readonly string[];
  /** Length of the prefix of `order` that stays: live entries in this order. */
  readonly stay: number;
  /** Names that are live and stay in the list: former names by new ones. */
  readonly survivors: ReadonlyMap<string, string>;
}

/** Returns the lists that a platform without `move` cannot order with the chosen writes only. */
export function placedLists(
  changes: readonly Change[],
  fragments: readonly Fragment[],
  desired: DesiredNode,
  live: TreeNode,
  root: Shape,
): PlacedList[] {
  const touched = new Map<string, { readonly path: Path; change: number | undefined }>();
  for (const [index, change] of changes.entries()) {
    const path =
      change.kind === "order" ? change.path : change.kind === "missing" && change.path.name !== undefined ? change.path.parent : undefined;
    if (path === undefined) continue;
    const known = touched.get(path.toString()) ?? { path, change: undefined };
    touched.set(path.toString(), known);
    if (change.kind === "order") known.change = index;
  }
  if (touched.size === 0) return [];
  const effects = effectsOnLists(fragments, root, new Set(touched.keys()));
  return [...touched.values()].flatMap(({ path, change }) => {
    const shape = shapeAt(path, root);
    const liveList = find(live, path);
    const wanted = find(desired, path) as DesiredNode | undefined;
    const effect = effects.get(path.toString());
    if (shape.kind !== "list" || !shape.ordered || liveList === undefined || wanted === undefined || effect?.isEdited === true) return [];
    const survivors = survivorsOf(liveList, effect);
    const created = [...(effect?.written ?? [])].filter((name) => !survivors.has(name));
    const arranged = arrangeBlocks([...survivors.keys()], declaredBlocks(wanted, new Set([...survivors.keys(), ...created])));
    if (!("order" in arranged)) return [];
    const { order } = arranged;
    if (order.every((name, index) => name === [...survivors.keys(), ...created][index])) return [];
    return [{ path, shape, live: liveList, desired: wanted, change, order, stay: prefixInPlace(order, [...survivors.keys()]), survivors }];
  });
}

interface ListEffect {
  isEdited: boolean;
  readonly deleted: Set<string>;
  /** New name by former name. */
  readonly renamed: Map<string, string>;
  readonly written: Set<string>;
}

function effectsOnLists(fragments: readonly Fragment[], root: Shape, lists: ReadonlySet<string>): Map<string, ListEffect> {
  const effects = new Map<string, ListEffect>();
  const effectOn = (path: Path | undefined): ListEffect | undefined => {
    const key = path?.toString() ?? "";
    if (!lists.has(key)) return undefined;
    const effect = effects.get(key) ?? { isEdited: false, deleted: new Set(), renamed: new Map(), written: new Set() };
    effects.set(key, effect);
    return effect;
  };
  for (const { operation } of fragments) {
    const { at, action } = operation;
    if (action === "delete" && at.name !== undefined) effectOn(at.parent)?.deleted.add(at.name);
    if (action === "rename") effectOn(at.parent)?.renamed.set(at.name ?? "", operation.newName);
    if (action === "edit") for (const list of listsBelow(operation.element, at, lists)) noteEdit(effectOn(list));
    if (action === "set")
      for (const path of piecePaths(operation.at, operation.element, root)) effectOn(path.parent)?.written.add(path.name ?? "");
  }
  return effects;
}

function noteEdit(effect: ListEffect | undefined): void {
  if (effect !== undefined) effect.isEdited = true;
}

/** Returns those `lists` that are at or below an edited node. */
function listsBelow(element: TreeNode, at: Path, lists: ReadonlySet<string>): Path[] {
  const found = lists.has(at.toString()) ? [at] : [];
  for (const child of element.children) if (child.children.length > 0) found.push(...listsBelow(child, pathOf(at, child), lists));
  return found;
}

/** Returns the paths of the parts that a `set` writes. */
function piecePaths(at: Path, element: TreeNode, root: Shape): Path[] {
  const top = pathOf(at, element);
  return splitSet(element, shapeAt(top, root)).map(({ above, node }) =>
    pathOf(
      above.reduce((path, frame) => pathOf(path, frame), at),
      node,
    ),
  );
}

function survivorsOf(live: TreeNode, effect: ListEffect | undefined): Map<string, string> {
  const survivors = new Map<string, string>();
  for (const { name } of live.children) {
    if (name === undefined || effect?.deleted.has(name) === true) continue;
    survivors.set(effect?.renamed.get(name) ?? name, name);
  }
  return survivors;
}

/** Returns the length of the longest prefix of `order` whose names have the same order in `live`. */
function prefixInPlace(order: readonly string[], live: readonly string[]): number {
  const places = new Map(live.map((name, index) => [name, index]));
  let last = -1;
  for (const [index, name] of order.entries()) {
    const place = places.get(name) ?? -1;
    if (place <= last) return index;
    last = place;
  }
  return order.length;
}
