import { find, pathOf } from "../core/tree/lookup.js";
import type { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { Change } from "./diff/change.js";

/** A live list of entries or members, with the changes that a plan makes to it. */
export interface TouchedList {
  readonly path: Path;
  /** Length of the live list, without entries of others that the plan keeps. */
  readonly live: number;
  readonly ofEntries: boolean;
  /** Names of entries that change at any depth. */
  readonly changed: ReadonlySet<string>;
  readonly deleted: ReadonlySet<string>;
  readonly created: number;
}

interface Tally {
  readonly path: Path;
  readonly ofEntries: boolean;
  readonly changed: Set<string>;
  readonly deleted: Set<string>;
  created: number;
}

/**
 * Returns every live list that the changes touch, at every depth. Moves and creates do not count as changes of their list. `isTheirs`: on
 * platforms with marks, returns whether an entry lacks this owner's mark. Linear in the changes.
 */
export function touchedLists(
  changes: readonly Change[],
  live: TreeNode,
  isShared: (entry: TreeNode, list: Path) => boolean = () => false,
): TouchedList[] {
  const counting = new Counting();
  for (const change of changes) counting.add(change);
  return [...counting.tallies()].map((tally) => ({ ...tally, live: sizeOf(find(live, tally.path), tally, isShared) }));
}

/** Returns the entries that changes delete, also with the list or container around them. */
export function deletedEntries(changes: readonly Change[]): Path[] {
  const paths: Path[] = [];
  for (const change of changes) if (change.kind === "extra") collectEntries(change.before, change.path, paths);
  return paths;
}

function collectEntries(node: TreeNode, path: Path, paths: Path[]): void {
  if (path.name !== undefined) paths.push(path);
  else for (const child of node.children) if (child.tag !== "member") collectEntries(child, pathOf(path, child), paths);
}

function sizeOf(
  list: TreeNode | undefined,
  { path, ofEntries, changed, deleted }: Tally,
  isShared: (entry: TreeNode, list: Path) => boolean,
): number {
  return (list?.children ?? []).filter((child) => {
    if (child.name === undefined || !ofEntries) return child.name === undefined && !ofEntries;
    return changed.has(child.name) || deleted.has(child.name) || !isShared(child, path);
  }).length;
}

/** Counts changes per list. Paths of one diff share their ancestors, so lookups try the identity of the path first. */
class Counting {
  readonly #byText = new Map<string, Tally>();
  readonly #byPath = new Map<Path, Tally>();

  tallies(): IterableIterator<Tally> {
    return this.#byText.values();
  }

  add(change: Change): void {
    const { path } = change;
    switch (change.kind) {
      case "missing":
        if (path.name !== undefined && path.parent !== undefined) this.#tally(path.parent, true).created += 1;
        this.#changedAbove(path.parent);
        break;
      case "extra":
        this.#extra(change.before, path);
        this.#changedAbove(path.parent);
        break;
      case "differs":
        if (path.name === undefined) this.#members(change.before, change.after, path);
        else this.#replaced(path, path.name);
        this.#changedAbove(path);
        break;
      case "renamed":
        // A document declares the rename with `$was`: the entry keeps its content, so it does not count against its list.
        this.#changedAbove(path.parent);
        break;
      case "order":
        break;
    }
  }

  #changedAbove(path: Path | undefined): void {
    for (let at = path; at !== undefined; at = at.parent) {
      if (at.name !== undefined && at.parent !== undefined) this.#tally(at.parent, true).changed.add(at.name);
    }
  }

  #extra(node: TreeNode, path: Path): void {
    if (path.parent !== undefined && path.name !== undefined) this.#tally(path.parent, true).deleted.add(path.name);
    else if (path.parent !== undefined && path.text !== undefined) this.#tally(path.parent, false).deleted.add(path.text);
    else if (node.children.some((child) => child.tag === "member"))
      for (const { text } of node.children) this.#tally(path, false).deleted.add(text);
    else
      for (const child of node.children) if (child.children.length > 0 || child.name !== undefined) this.#extra(child, pathOf(path, child));
  }

  /** Counts an entry that is deleted and recreated: its content is lost, but the list does not get shorter. */
  #replaced(path: Path, name: string): void {
    if (path.parent === undefined) return;
    const tally = this.#tally(path.parent, true);
    tally.deleted.add(name);
    tally.created += 1;
  }

  #members(before: TreeNode, after: TreeNode, path: Path): void {
    if (before.children.length === 0) return;
    const kept = new Set(after.children.map((child) => child.text));
    for (const { text } of before.children) if (!kept.has(text)) this.#tally(path, false).deleted.add(text);
  }

  #tally(path: Path, ofEntries: boolean): Tally {
    const known = this.#byPath.get(path);
    if (known !== undefined) return known;
    const text = path.toString();
    const tally = this.#byText.get(text) ?? { path, ofEntries, changed: new Set(), deleted: new Set(), created: 0 };
    this.#byText.set(text, tally);
    this.#byPath.set(path, tally);
    return tally;
  }
}
