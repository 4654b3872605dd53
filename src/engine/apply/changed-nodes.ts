import type { Operation } from "../../core/operation.js";
import { pathOf } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";

/** A node that operations change, or (`order`) the sequence of entries of a list. */
export interface Unit {
  readonly path: Path;
  readonly what: "node" | "order";
}

export interface Touched {
  readonly units: readonly Unit[];
  /** Subtrees that contain all units. */
  readonly reads: readonly Path[];
}

/** If more entries of one list are touched, the list is read once instead of each entry. */
const SINGLE_READS = 8;

/** Returns the nodes that the operations change, and the subtrees that must be read to see them. */
export function touchedBy(operations: readonly Operation[]): Touched {
  const units = new Map<string, Unit>();
  const add = (path: Path, what: Unit["what"] = "node") => units.set(`${what} ${path}`, { path, what });
  for (const operation of operations) {
    switch (operation.action) {
      case "set":
        addSet(operation.element, pathOf(operation.at, operation.element), add);
        break;
      case "edit":
      case "delete":
        add(operation.at.text === undefined ? operation.at : parentOf(operation.at));
        break;
      case "move":
        add(parentOf(operation.at), "order");
        break;
      case "rename":
        add(operation.at);
        add(parentOf(operation.at).entry(operation.newName, operation.at.tag));
        break;
    }
  }
  const all = [...units.values()];
  return { units: all, reads: readsFor(all) };
}

/** Returns every place that the operations change. */
export function placesOf(operations: readonly Operation[]): readonly Path[] {
  return touchedBy(operations).units.map(({ path }) => path);
}

/** A set merges: it touches the entries, member lists and leaves in the element, but not the containers around them. */
function addSet(element: TreeNode, path: Path, add: (path: Path) => void): void {
  const isComplete =
    element.name !== undefined || element.children.length === 0 || element.children.some((child) => child.tag === "member");
  if (path.text !== undefined) add(parentOf(path));
  else if (isComplete) add(path);
  else for (const child of element.children) addSet(child, pathOf(path, child), add);
}

/** Returns subtrees that contain all units, without overlap. For a list with many touched entries, returns the list. */
export function readsFor(units: readonly Unit[]): Path[] {
  const entriesOf = new Map<string, number>();
  for (const { path, what } of units) {
    if (what === "node" && path.name !== undefined) count(entriesOf, parentOf(path).toString());
  }
  const reads = new Map<string, Path>();
  for (const { path, what } of units) {
    const list = path.name === undefined ? undefined : parentOf(path);
    const read = what === "node" && list !== undefined && (entriesOf.get(list.toString()) ?? 0) > SINGLE_READS ? list : path;
    reads.set(read.toString(), read);
  }
  return [...reads.values()].filter((path) => !hasAncestor(path, reads));
}

function hasAncestor(path: Path, among: ReadonlyMap<string, Path>): boolean {
  for (let at = path.parent; at !== undefined; at = at.parent) if (among.has(at.toString())) return true;
  return false;
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function parentOf(path: Path): Path {
  return path.parent ?? path;
}
