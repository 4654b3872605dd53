import { isNothing } from "../../core/tree/canonical-children.js";
import { childAt, childEntry } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import { isForeign } from "../../core/tree/owner-mark.js";
import type { Path } from "../../core/tree/path.js";
import type { Shape } from "../../core/tree/shape.js";
import { parsePath } from "../../core/tree/xpath.js";
import type { DesiredNode } from "../../desired/model.js";
import { holdsInherited } from "./inherited.js";
import type { DiffInput } from "./input.js";

/** A live node that we once declared and do not declare any more. */
export interface LedgerExtra {
  readonly path: Path;
  readonly node: TreeNode;
  /** It stands in a list whose entries carry marks, and ours is not on it. */
  readonly isForeign: boolean;
  /** It was there without us. */
  readonly isOnlyFound: boolean;
}

/**
 * Ledger minus desired (docs/ownership.md#what-may-be-deleted), as far as it is live: the highest row of each. Not rows below prunes nodes, where the
 * comparison sees for itself what is extra; not former names of renamed entries; not structural entries, which were
 * never wholly ours; nothing that holds inherited parts.
 */
export function ledgerExtras({ ledger, desired, live, shape, owner, onlyFound = new Set() }: DiffInput): LedgerExtra[] {
  if (ledger === undefined) return [];
  const rows = new LedgerRows(desired, live, shape, owner);
  const extras: LedgerExtra[] = [];
  const gone = new Set<TreeNode>();
  for (const row of ledger) {
    const extra = rows.extra(row, gone);
    if (extra === undefined) continue;
    gone.add(extra.node);
    extras.push({ ...extra, isOnlyFound: onlyFound.has(row) });
  }
  return extras;
}

const ENTRY = "/entry[@name='";
const END = "']";

/** Resolves rows against desired state. Rows come sorted, so the list that a row stands in is mostly that of the row before. */
class LedgerRows {
  readonly #desired: DesiredNode;
  readonly #live: TreeNode;
  readonly #shape: Shape;
  readonly #owner: string | undefined;
  readonly #formerNames = new Map<DesiredNode, ReadonlySet<string>>();
  #listText = "";
  #next = 0;
  #list: DesiredNode | undefined;

  constructor(desired: DesiredNode, live: TreeNode, shape: Shape, owner: string | undefined) {
    this.#owner = owner;
    this.#desired = desired;
    this.#live = live;
    this.#shape = shape;
  }

  extra(row: string, gone: ReadonlySet<TreeNode>): Omit<LedgerExtra, "isOnlyFound"> | undefined {
    if (this.#isSettledInSameList(row)) return undefined;
    const path = parsePath(row);
    return this.#mayDelete(path) ? this.#liveExtra(path, gone) : undefined;
  }

  /** True, too, for entries of prunes lists, where the comparison sees what is extra. */
  #isSettledInSameList(row: string): boolean {
    if (this.#list === undefined || !row.startsWith(this.#listText) || !row.startsWith(ENTRY, this.#listText.length)) return false;
    const from = this.#listText.length + ENTRY.length;
    if (this.#isNext(row, from, this.#list)) return true;
    const end = row.indexOf("'", from);
    return end === row.length - 2 && (this.#list.prunes || childEntry(this.#list, row.slice(from, end)) !== undefined);
  }

  /** Where desired state stands in the order of the rows, each row is the next entry: none is looked up. */
  #isNext(row: string, from: number, list: DesiredNode): boolean {
    const name = list.children[this.#next]?.name;
    if (name === undefined || row.length !== from + name.length + END.length) return false;
    if (!row.startsWith(name, from) || !row.endsWith(END) || name.includes("'")) return false;
    this.#next += 1;
    return true;
  }

  /** Walks desired state along `path`: may what it does not declare be deleted? */
  #mayDelete(path: Path): boolean {
    const steps = path.steps();
    let node = this.#desired;
    if (steps[0]?.tag !== node.tag) return false;
    for (let i = 1; i < steps.length; i += 1) {
      const step = steps[i] as Path;
      const { handling } = node;
      if (handling?.ignored === true || handling?.keep === true) return false;
      const next = childAt(node, step);
      if (i === steps.length - 1 && step.name !== undefined) this.#remember(path, node);
      if (next === undefined) return !node.prunes && !(step.name !== undefined && this.#isFormerName(node, step.name));
      node = next;
    }
    return false;
  }

  #remember(path: Path, list: DesiredNode): void {
    if (this.#list === list) return;
    this.#list = list;
    this.#next = list.children.findIndex(({ name }) => name === path.name) + 1;
    this.#listText = path.parent?.toString() ?? "";
  }

  #isFormerName(list: DesiredNode, name: string): boolean {
    let names = this.#formerNames.get(list);
    if (names === undefined) {
      names = new Set(list.children.flatMap((child) => child.handling?.was ?? []));
      this.#formerNames.set(list, names);
    }
    return names.has(name);
  }

  #liveExtra(path: Path, gone: ReadonlySet<TreeNode>): Omit<LedgerExtra, "isOnlyFound"> | undefined {
    let node: TreeNode | undefined = this.#live;
    let shape = this.#shape;
    for (const step of path.steps().slice(1)) {
      node = childAt(node, step);
      if (node === undefined || gone.has(node)) return undefined;
      shape = shape.child(step.tag);
    }
    if (shape.structural || shape.computed === true || isNothing(node, shape) || holdsInherited(node)) return undefined;
    return { path, node, isForeign: this.#owner !== undefined && isForeign(node, shape, this.#owner) };
  }
}
