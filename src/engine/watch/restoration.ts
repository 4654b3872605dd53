import { applyOperation } from "../../core/apply-operation.js";
import type { Operation } from "../../core/operation.js";
import { cloneTree, UndoLog } from "../../core/tree/edit/edit-tree.js";
import { find, shapeAt } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import type { Shape } from "../../core/tree/shape.js";
import { parsePath } from "../../core/tree/xpath/xpath.js";
import { partsThatDiffer } from "../../plan/diff/crossed-renames.js";
import { renameSteps } from "../../plan/rename-steps.js";
import type { Rename } from "../../plan/renames.js";
import { temporaryNames } from "../../plan/temporary-names.js";
import type { WrittenRow } from "./open-watch.js";
import { digestOf, nameBefore, type Renames, renamesOf, sameAt } from "./rows.js";

/** Something of our commit that stays, and why. */
export interface NotRestored {
  readonly xpath: string;
  readonly why: string;
}

export interface Restoration {
  /** Operations that revert our commit, newest first, then moves of entries. */
  readonly operations: readonly Operation[];
  readonly left: readonly NotRestored[];
  /** `current` with that done. */
  readonly outcome: TreeNode;
}

/**
 * Plans the rollback of rows on a target that reads as `current`. Reverts a node only if it still has the value that we wrote. `before` is
 * the configuration before our commit.
 * `byOthers`: paths of nodes that others recreated or changed with the same value, with the administrator.
 */
export function restorationOf(
  rows: readonly WrittenRow[],
  before: TreeNode,
  current: TreeNode,
  shape: Shape,
  byOthers: ReadonlyMap<string, string> = new Map(),
): Restoration {
  const remaining = rows.filter((row) => row.kind !== "rename" || !hasFormerName(parsePath(row.at), row.from, before, current, shape));
  const restoring = new Restoring(before, current, shape, renamesOf(remaining), byOthers);
  for (const row of remaining.reverse()) restoring.add(row);
  restoring.renameBack();
  restoring.putInPlace();
  return restoring;
}

/** Reports whether a swapped name was already restored. The names are the same before and after a swap, so the content decides. */
function hasFormerName(at: Path, from: string, before: TreeNode, current: TreeNode, shape: Shape): boolean {
  const list = at.parent ?? at;
  const [now, own, other] = [find(current, at), find(before, at), find(before, list.entry(from, at.tag))];
  if (now === undefined || own === undefined || other === undefined) return false;
  const inner = shapeAt(list, shape);
  return partsThatDiffer(now, own, inner) < partsThatDiffer(now, other, inner);
}

class Restoring implements Restoration {
  readonly operations: Operation[] = [];
  readonly left: NotRestored[] = [];
  readonly #before: TreeNode;
  readonly #current: TreeNode;
  readonly outcome: TreeNode;
  readonly #shape: Shape;
  readonly #renames: Renames;
  readonly #byOthers: ReadonlyMap<string, string>;
  readonly #misplaced: Path[] = [];
  readonly #renamed: Rename[] = [];

  constructor(before: TreeNode, current: TreeNode, shape: Shape, renames: Renames, byOthers: ReadonlyMap<string, string>) {
    this.#before = before;
    this.#current = current;
    this.outcome = cloneTree(current);
    this.#shape = shape;
    this.#renames = renames;
    this.#byOthers = byOthers;
  }

  add(row: WrittenRow): void {
    const at = parsePath(row.at);
    if (row.kind === "node") this.#addNode(at, row.after);
    else if (row.kind === "rename") this.#addRename(at, row.from);
    else this.#addPlace(at, row.behind);
  }

  #addNode(written: Path, after: string): void {
    const at = this.#pathNow(written);
    const old = this.#nodeBefore(at);
    const now = find(this.#current, at);
    if (sameAt(old, now, at, this.#shape)) return;
    if (digestOf(now, at, this.#shape) !== after) {
      this.left.push({ xpath: at.toString(), why: now === undefined ? "it was removed since" : "it was changed since" });
      return;
    }
    const owner = this.#byOthers.get(at.toString());
    if (owner !== undefined) this.left.push({ xpath: at.toString(), why: `"${owner}" has changed it since` });
    else if (old === undefined) this.#do({ action: "delete", at });
    else if (now === undefined) this.#do({ action: "set", at: at.parent ?? at, element: old });
    else this.#do({ action: "edit", at, element: old });
    if (at.name !== undefined && now === undefined && shapeAt(at.parent ?? at, this.#shape).ordered) this.#misplaced.push(at);
  }

  #addRename(at: Path, from: string): void {
    if (find(this.#current, at) !== undefined) this.#renamed.push({ at, newName: from });
    else if (find(this.#current, nameBefore(at, this.#renames)) === undefined)
      this.left.push({ xpath: at.toString(), why: "it was removed or renamed since" });
  }

  /** Renames all entries together, because two may have swapped their names. */
  renameBack(): void {
    for (const { at, newName } of renameSteps(this.#renamed, temporaryNames(this.#current))) this.#do({ action: "rename", at, newName });
  }

  #addPlace(at: Path, behind: string): void {
    if (this.#nodeBefore(at) === undefined) return;
    const names = this.#names(this.#current, at.parent ?? at);
    const place = names.indexOf(at.name ?? "");
    if (place < 0) return;
    const known = new Set([...this.#names(this.#before, nameBefore(at.parent ?? at, this.#renames)), behind]);
    const previous =
      names
        .slice(0, place)
        .reverse()
        .find((name) => known.has(name)) ?? "";
    if (previous === this.#placeBefore(at, names)) return;
    if (previous === behind || !names.includes(behind)) this.#misplaced.push(at);
    else this.left.push({ xpath: at.toString(), why: "it was moved since" });
  }

  /** The nearest predecessor of an entry before the commit that still exists. */
  #placeBefore(at: Path, there: readonly string[]): string {
    const entry = nameBefore(at, this.#renames);
    const names = this.#names(this.#before, entry.parent ?? entry);
    const present = new Set(there);
    return (
      names
        .slice(0, names.indexOf(entry.name ?? ""))
        .reverse()
        .find((name) => present.has(name)) ?? ""
    );
  }

  /** If our rename was already reverted, the node has its former name. */
  #pathNow(at: Path): Path {
    if (this.#renames.size === 0 || find(this.#current, at) !== undefined) return at;
    const former = nameBefore(at, this.#renames);
    return find(this.#current, former) === undefined ? at : former;
  }

  /** Moves entries in their former order, each one behind its nearest former predecessor that still exists. */
  putInPlace(): void {
    const lists = new Map<string, { readonly list: Path; readonly moved: Set<string> }>();
    for (const path of this.#misplaced) {
      const entry = nameBefore(path, this.#renames);
      const list = entry.parent ?? entry;
      const known = lists.get(list.toString()) ?? { list, moved: new Set<string>() };
      known.moved.add(entry.name ?? "");
      lists.set(list.toString(), known);
    }
    for (const { list, moved } of lists.values()) {
      const there = new Set(this.#names(this.outcome, list));
      let previous: string | undefined;
      for (const child of find(this.#before, list)?.children ?? []) {
        const name = child.name ?? "";
        if (!there.has(name)) continue;
        if (moved.has(name)) this.#place(list.entry(name, child.tag), previous);
        previous = name;
      }
    }
  }

  #place(at: Path, previous: string | undefined): void {
    const names = this.#names(this.outcome, at.parent ?? at);
    if ((names[names.indexOf(at.name ?? "") - 1] ?? undefined) === previous) return;
    this.#do(previous === undefined ? { action: "move", at, where: "top" } : { action: "move", at, where: "after", anchor: previous });
  }

  #do(operation: Operation): void {
    try {
      applyOperation(this.outcome, operation, new UndoLog());
      this.operations.push(operation);
    } catch (error) {
      this.left.push({ xpath: operation.at.toString(), why: error instanceof Error ? error.message : String(error) });
    }
  }

  /** The node of before, by the name that its entry has now. */
  #nodeBefore(at: Path): TreeNode | undefined {
    const node = find(this.#before, nameBefore(at, this.#renames));
    return node === undefined || at.name === undefined || at.name === node.name ? node : cloneTree(node, at.name);
  }

  #names(tree: TreeNode, list: Path): string[] {
    return (find(tree, list)?.children ?? []).map((child) => child.name ?? "");
  }
}
