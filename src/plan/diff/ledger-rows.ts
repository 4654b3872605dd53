import { partitionPoint } from "../../core/partition-point.js";
import { isNothing } from "../../core/tree/canonical-children.js";
import { childAt, childEntry, find } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import { isUnmanaged } from "../../core/tree/owner-mark.js";
import type { Path } from "../../core/tree/path.js";
import type { Shape } from "../../core/tree/shape.js";
import { parsePath } from "../../core/tree/xpath/xpath.js";
import type { DesiredNode } from "../../desired/model.js";
import { holdsInherited } from "./inherited.js";
import type { DiffInput } from "./input.js";
import { undeclaredEntries } from "./pairing.js";

/** A live node that the ledger lists and no document declares. */
export interface LedgerExtra {
  readonly path: Path;
  readonly node: TreeNode;
  /** Entries of its list carry marks, and it does not carry this owner's. */
  readonly isUnmanaged: boolean;
  /** The row must not cause a delete (`foundOnly`). */
  readonly isOnlyFound: boolean;
}

/**
 * Returns the ledger rows that are live but not desired (docs/ownership.md#what-may-be-deleted), the highest row of each subtree. Skips
 * rows below `prunes` nodes, where the comparison itself finds extra nodes. Also skips former names of renamed entries, structural entries,
 * which Plumbline never owns completely, and nodes that contain inherited parts.
 */
export function ledgerExtras({ ledger, desired, live, shape, owner, onlyFound = new Set() }: DiffInput): LedgerExtra[] {
  if (ledger === undefined) return [];
  const sorted = isSorted(ledger) ? ledger : [...ledger].sort();
  const rows = new LedgerRows(sorted, desired, live, shape, owner);
  const extras: LedgerExtra[] = [];
  const removed = new Set<TreeNode>();
  for (let at = 0; at < sorted.length; at = rows.after(at)) {
    const row = sorted[at] as string;
    const extra = rows.extra(row, at, removed);
    if (extra === undefined) continue;
    removed.add(extra.node);
    extras.push({ ...extra, isOnlyFound: onlyFound.has(row) });
  }
  return extras;
}

function isSorted(rows: readonly string[]): boolean {
  let before = "";
  for (const row of rows) {
    if (row < before) return false;
    before = row;
  }
  return true;
}

const [ENTRY, END] = ["/entry[@name='", "']"];

/** A list that contains entries of the ledger rows. */
interface RowsList {
  readonly node: DesiredNode;
  /** Range of the rows of its entries and their contents: from `begin` to before `end`. */
  readonly begin: number;
  readonly end: number;
  /** Offset of the entry name in a row. */
  readonly nameAt: number;
  /** Rows of live entries that are not declared. Undefined if there may be so many that each row is looked up instead. */
  readonly stray: ReadonlySet<string> | undefined;
}

const NONE: ReadonlySet<string> = new Set();

/**
 * Resolves rows against desired state. Rows are sorted, so the rows of one list are adjacent. They are skipped, except for live entries
 * that are not declared. Computing those once per list costs less than looking up each row.
 */
class LedgerRows {
  readonly #rows: readonly string[];
  readonly #desired: DesiredNode;
  readonly #live: TreeNode;
  readonly #shape: Shape;
  readonly #owner: string | undefined;
  readonly #formerNames = new Map<DesiredNode, ReadonlySet<string>>();
  readonly #lists = new Map<DesiredNode, RowsList>();
  #list: RowsList | undefined;

  constructor(rows: readonly string[], desired: DesiredNode, live: TreeNode, shape: Shape, owner: string | undefined) {
    this.#rows = rows;
    this.#owner = owner;
    this.#desired = desired;
    this.#live = live;
    this.#shape = shape;
  }

  /**
   * Returns the next index after `at` whose row may be an extra. Skips entries that are declared, are not live, or are in a `prunes` list.
   */
  after(at: number): number {
    let next = at + 1;
    if (this.#list === undefined || next < this.#list.begin) return next;
    const { node, end, nameAt, stray } = this.#list;
    // A loop without calls to other functions of this module: a plan runs it once, before V8 has compiled it.
    for (; next < end; next += 1) {
      const row = this.#rows[next] as string;
      if (row.indexOf("'", nameAt) !== row.length - END.length) break;
      if (stray === NONE) continue;
      if (stray === undefined ? childEntry(node, row.slice(nameAt, -END.length)) === undefined : stray.has(row)) break;
    }
    return next;
  }

  extra(row: string, at: number, removed: ReadonlySet<TreeNode>): Omit<LedgerExtra, "isOnlyFound"> | undefined {
    const path = parsePath(row);
    return this.#mayDelete(path, at) ? this.#liveExtra(path, removed) : undefined;
  }

  /** Walks desired state along `path`. Returns whether the row may be deleted because nothing declares it. */
  #mayDelete(path: Path, at: number): boolean {
    const steps = path.steps();
    let node = this.#desired;
    if (steps[0]?.tag !== node.tag) return false;
    for (let i = 1; i < steps.length; i += 1) {
      const step = steps[i] as Path;
      const { handling } = node;
      if (handling?.ignored === true || handling?.keep === true) return false;
      const next = childAt(node, step);
      if (i === steps.length - 1 && step.name !== undefined) this.#remember(path, node, at);
      if (next === undefined) return !node.prunes && !(step.name !== undefined && this.#isFormerName(node, step.name));
      node = next;
    }
    return false;
  }

  #remember(path: Path, node: DesiredNode, at: number): void {
    if (this.#list?.node === node) return;
    this.#list = this.#lists.get(node) ?? this.#listAt(path.parent ?? path, node, at);
    this.#lists.set(node, this.#list);
  }

  #listAt(path: Path, node: DesiredNode, at: number): RowsList {
    const from = `${path}${ENTRY}`;
    const begin = this.#behind(at, from);
    // In sort order, all rows that begin with `from` precede the text whose apostrophe is replaced by the next character.
    const end = this.#behind(begin, `${from.slice(0, -1)}(`);
    const list = { node, begin, end, nameAt: from.length };
    const live = node.prunes || begin === end ? undefined : find(this.#live, path)?.children;
    if (live === undefined) return { ...list, stray: NONE };
    if (live.length > 2 * node.children.length) return { ...list, stray: undefined };
    const stray = undeclaredEntries(node.children, live).map((name) => from + name + END);
    return { ...list, stray: stray.length === 0 ? NONE : new Set(stray) };
  }

  /** Returns the first index from `at` whose row does not precede `text`. Searches nearby first, because most lists are short. */
  #behind(at: number, text: string): number {
    let reach = 1;
    while ((this.#rows[at + reach - 1] ?? text) < text) reach *= 2;
    const known = at + (reach >> 1);
    const length = Math.min(reach - (reach >> 1), this.#rows.length - known);
    return known + partitionPoint(length, (index) => (this.#rows[known + index] as string) < text);
  }

  #isFormerName(list: DesiredNode, name: string): boolean {
    let names = this.#formerNames.get(list);
    if (names === undefined) {
      names = new Set(list.children.flatMap((child) => child.handling?.was ?? []));
      this.#formerNames.set(list, names);
    }
    return names.has(name);
  }

  #liveExtra(path: Path, removed: ReadonlySet<TreeNode>): Omit<LedgerExtra, "isOnlyFound"> | undefined {
    let node: TreeNode | undefined = this.#live;
    let shape = this.#shape;
    for (const step of path.steps().slice(1)) {
      node = childAt(node, step);
      if (node === undefined || removed.has(node)) return undefined;
      shape = shape.child(step.tag);
    }
    if (shape.structural || shape.computed === true || isNothing(node, shape) || holdsInherited(node)) return undefined;
    return { path, node, isUnmanaged: this.#owner !== undefined && isUnmanaged(node, shape, this.#owner) };
  }
}
