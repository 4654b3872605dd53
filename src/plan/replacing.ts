import { childAt, find } from "../core/tree/lookup.js";
import { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import type { DesiredNode } from "../desired/model.js";
import type { Atom } from "./atom.js";
import type { Detached } from "./dependants.js";
import { EffectFinder } from "./effect-finder.js";
import type { Fragment } from "./fragment.js";
import type { Scopes } from "./namespace.js";
import { oneSetAnObject } from "./objects.js";

/** Objects that are deleted and recreated, and the parts of other objects that are removed during that time. */
export interface Replacing {
  readonly entries: readonly Path[];
  readonly detached: readonly Detached[];
}

interface Trees {
  readonly live: TreeNode;
  readonly desired: DesiredNode;
  readonly shape: Shape;
  readonly scopes: Scopes;
}

export interface ReplacingAtoms {
  /** Writes that remove parts of other objects first. They stay separate from other writes to these objects. */
  readonly away: readonly Atom[];
  readonly others: readonly Atom[];
}

/**
 * Returns the steps that recreate objects together. Parts that refer to them are removed. Each object is deleted once it is unreferenced,
 * and recreated once its own references resolve. Then the parts are restored. `fragments`: the ones that replace the entries.
 */
export function replacingAtoms(fragments: readonly Fragment[], { entries, detached }: Replacing, trees: Trees): ReplacingAtoms {
  const { live, desired, shape, scopes } = trees;
  const before = new EffectFinder(live, shape, scopes);
  const between = new EffectFinder(withoutEntries(live, entries), shape, scopes);
  const made = new Map(entries.map((entry) => [entry.toString(), {}]));
  const others = fragments.flatMap((fragment) => recreated(fragment, made.get(fragment.operation.at.toString()), before, between, shape));
  const away: Atom[] = [];
  for (const [row, from] of rowsOf(detached)) {
    const element = find(desired, row);
    if (element === undefined || row.parent === undefined) continue;
    const changes = fragments.filter(({ operation: { at } }) => from.some((each) => each.equals(at))).flatMap((each) => each.changes);
    const rest = { fragment: -1, phase: "update" as const, changes, divided: true };
    const remove = { action: "delete" as const, at: row };
    const set = { action: "set" as const, at: row.parent, element };
    away.push({ ...rest, operations: [remove], effects: before.of([remove]) });
    const after = from.flatMap((each) => made.get(each.toString()) ?? []);
    others.push({ ...rest, operations: [set], effects: before.of([set]), after });
  }
  return { away, others };
}

function recreated(
  { operation, changes }: Fragment,
  made: object | undefined,
  before: EffectFinder,
  between: EffectFinder,
  shape: Shape,
): Atom[] {
  const { at } = operation;
  if (operation.action !== "edit" || at.parent === undefined) return [];
  const removed = {};
  const rest = { fragment: -1, changes, divided: true };
  const remove = { action: "delete" as const, at };
  const create: Fragment = { operation: { action: "set", at: at.parent, element: operation.element }, kind: "create", unit: at, changes };
  const sets = oneSetAnObject([create], [], shape).map(({ operation: set }): Atom => {
    return { ...rest, operations: [set], phase: "create", effects: between.of([set]), token: made, after: [removed] };
  });
  return [{ ...rest, operations: [remove], phase: "delete", effects: before.of([remove]), token: removed }, ...sets];
}

/** Returns each removed part once, with the entries that it refers to. */
function rowsOf(detached: readonly Detached[]): [row: Path, from: Path[]][] {
  const rows = new Map<string, [Path, Path[]]>();
  for (const { row, from } of detached) {
    const known = rows.get(row.toString()) ?? [row, []];
    known[1].push(from);
    rows.set(row.toString(), known);
  }
  return [...rows.values()];
}

/** Returns the tree without the given entries; shares all other nodes. */
function withoutEntries(root: TreeNode, entries: readonly Path[]): TreeNode {
  return entries.reduce((tree, entry) => withoutNode(tree, entry.steps().slice(1)), root);
}

function withoutNode(node: TreeNode, [step, ...deeper]: readonly Path[]): TreeNode {
  const child = step === undefined ? undefined : childAt(node, step);
  if (child === undefined) return node;
  const children = node.children.flatMap((each) => (each !== child ? [each] : deeper.length === 0 ? [] : [withoutNode(each, deeper)]));
  return new TreeNode(node.tag, node.name, node.text, children, node.attributes);
}
