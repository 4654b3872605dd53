import type { Operation } from "../core/operation.js";
import { childEntry, pathOf, shapeAt } from "../core/tree/lookup.js";
import { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import type { DesiredNode } from "../desired/model.js";
import { isReplaceable } from "./cost/legality.js";
import { operationWeight } from "./cost/operation-weight.js";
import { canRecreate, payloadOf } from "./cost/payload.js";
import { priceOf } from "./cost/price.js";
import type { Change, Finding } from "./diff/change.js";
import type { Fragment } from "./fragment.js";
import type { Refusal } from "./model.js";
import { Scopes } from "./namespace.js";
import { type PlacedList, placedLists } from "./placed-lists.js";
import { survey } from "./reference-index.js";
import { joinPieces, splitSet } from "./split-set.js";

export interface ReorderInput {
  readonly fragments: readonly Fragment[];
  readonly changes: readonly Change[];
  /** Root elements and their shape. */
  readonly desired: DesiredNode;
  readonly live: TreeNode;
  readonly shape: Shape;
  readonly rewriteLists: "never" | "allowed";
  readonly atomicBatch: boolean;
}

/** Entries that are deleted and recreated at the end of their list, together. */
export interface Rebuild {
  readonly operations: readonly Operation[];
  readonly changes: readonly number[];
}

export interface Reordered {
  readonly fragments: readonly Fragment[];
  readonly rebuilds: readonly Rebuild[];
  readonly findings: readonly Finding[];
  readonly refusals: readonly Refusal[];
}

/**
 * Orders lists on a platform that cannot move entries (docs/contributing/plan.md#without-moves). The longest prefix in the right order stays, and the
 * rest is deleted and recreated in one `set`. Alternatively the list is edited completely. The cheaper legal way wins. Recreated entries
 * must be completely owned and unreferenced. Reports losses, and refuses if neither way is legal.
 */
export function reorderWithoutMoves(input: ReorderInput): Reordered {
  const lists = placedLists(input.changes, input.fragments, input.desired, input.live, input.shape);
  let fragments = input.fragments;
  const rebuilds: Rebuild[] = [];
  const findings: Finding[] = [];
  const refusals: Refusal[] = [];
  for (const list of lists) {
    const ways = [recreate(list, fragments, input), editList(list, fragments, input)].filter((way) => way !== undefined);
    const best = ways.sort((a, b) => a.weight - b.weight)[0];
    if (best === undefined) {
      refusals.push(refusal(list));
      continue;
    }
    fragments = best.fragments;
    rebuilds.push(...best.rebuilds);
    findings.push(...best.lost.map((name) => lossOf(list, name)));
  }
  return { fragments, rebuilds, findings, refusals };
}

interface Way {
  /** Weight of all operations that touch the list. */
  readonly weight: number;
  readonly fragments: readonly Fragment[];
  readonly rebuilds: readonly Rebuild[];
  /** Live entries that are recreated. */
  readonly lost: readonly string[];
}

function recreate(list: PlacedList, fragments: readonly Fragment[], input: ReorderInput): Way | undefined {
  const names = list.order.slice(list.stay);
  const recreated = names.filter((name) => list.survivors.has(name));
  if (!recreated.every((name) => mayRecreate(list, name)) || isNamed(list, recreated, input)) return undefined;
  const entries = names.map((name) => childEntry(list.desired, name)).filter((entry) => entry !== undefined);
  const payloads = entries.map(payloadOf).filter((payload) => payload !== undefined);
  if (payloads.length !== names.length) return undefined;
  const { kept, dropped } = withoutEntries(fragments, list.path, new Set(names), input.shape);
  const element = new TreeNode(list.path.tag, undefined, "", payloads);
  const deletes: Operation[] = recreated.map((name) => ({ action: "delete", at: list.path.entry(name) }));
  const operations: Operation[] = [...deletes, { action: "set", at: list.path.parent as Path, element }];
  const changes = [...(list.change === undefined ? [] : [list.change]), ...dropped.flatMap((fragment) => fragment.changes)];
  const weight = weigh(operations, input) + weigh(touching(kept, list, input.shape), input);
  return { weight, fragments: kept, rebuilds: [{ operations, changes: [...new Set(changes)] }], lost: recreated };
}

function mayRecreate({ live, desired, shape, survivors }: PlacedList, name: string): boolean {
  const wanted = childEntry(desired, name);
  const node = childEntry(live, survivors.get(name) ?? name);
  if (wanted === undefined || node === undefined || !canRecreate(wanted)) return false;
  return isReplaceable(wanted, node, shape.child("entry"), { rewriteLists: true, isOverridden: false, budget: Number.POSITIVE_INFINITY });
}

/** Returns whether any of the entries is referenced, so that it must not be deleted even temporarily. */
function isNamed({ shape, survivors }: PlacedList, names: readonly string[], input: ReorderInput): boolean {
  const { defines } = shape;
  if (defines === undefined || names.length === 0) return false;
  const all = new Set(names.flatMap((name) => [name, survivors.get(name) ?? name]));
  const { references } = survey(input.live, input.shape, new Scopes(), all);
  return references.some((reference) => reference.kinds.includes(defines));
}

function editList(list: PlacedList, fragments: readonly Fragment[], input: ReorderInput): Way | undefined {
  if (input.rewriteLists !== "allowed") return undefined;
  const limits = { rewriteLists: true, isOverridden: false, budget: Number.POSITIVE_INFINITY };
  if (!isReplaceable(list.desired, list.live, list.shape, limits)) return undefined;
  const element = payloadOf(list.desired);
  if (element === undefined) return undefined;
  const touched = new Set([...list.order, ...list.live.children.map((child) => child.name ?? "")]);
  const { kept, dropped } = withoutEntries(fragments, list.path, touched, input.shape);
  const operation: Operation = { action: "edit", at: list.path, element };
  const changes = [...new Set([...(list.change === undefined ? [] : [list.change]), ...dropped.flatMap((fragment) => fragment.changes)])];
  const edit: Fragment = { operation, kind: "update", unit: list.path, changes };
  return { weight: weigh([operation], input), fragments: [...kept, edit], rebuilds: [], lost: [] };
}

/** Removes writes to certain entries of one list from the fragments. */
function withoutEntries(
  fragments: readonly Fragment[],
  list: Path,
  names: ReadonlySet<string>,
  root: Shape,
): { kept: Fragment[]; dropped: Fragment[] } {
  const kept: Fragment[] = [];
  const dropped: Fragment[] = [];
  const isIn = (path: Path): boolean => {
    const entry = stepBelow(path, list);
    return entry?.name !== undefined && names.has(entry.name);
  };
  for (const fragment of fragments) {
    const { operation } = fragment;
    if (operation.action !== "set" || isIn(operation.at)) {
      (isIn(operation.at) && operation.action !== "rename" ? dropped : kept).push(fragment);
      continue;
    }
    const { at, element } = operation;
    const top = pathOf(at, element);
    if (!top.contains(list) && !list.contains(top)) {
      kept.push(fragment);
      continue;
    }
    const pieces = splitSet(element, shapeAt(top, root));
    const others = pieces.filter(
      ({ above, node }) =>
        !isIn(
          pathOf(
            above.reduce((path, frame) => pathOf(path, frame), at),
            node,
          ),
        ),
    );
    if (others.length < pieces.length) dropped.push(fragment);
    if (others.length === pieces.length) kept.push(fragment);
    else if (others.length > 0) kept.push({ ...fragment, operation: joinPieces(at, others) });
  }
  return { kept, dropped };
}

/** Returns the step directly below `list` on the way to `path`. */
function stepBelow(path: Path, list: Path): Path | undefined {
  let at: Path | undefined = path;
  while (at !== undefined && at.depth > list.depth + 1) at = at.parent;
  return at !== undefined && at.depth === list.depth + 1 && at.parent?.equals(list) === true ? at : undefined;
}

function touching(fragments: readonly Fragment[], { path }: PlacedList, root: Shape): Operation[] {
  return fragments
    .map(({ operation }) => operation)
    .filter((operation) => {
      if (operation.action !== "set") return path.contains(operation.at);
      return path.contains(pathOf(operation.at, operation.element)) || (operation.at.contains(path) && holdsList(operation, path, root));
    });
}

function holdsList(operation: Operation & { readonly action: "set" }, list: Path, root: Shape): boolean {
  const { at, element } = operation;
  return splitSet(element, shapeAt(pathOf(at, element), root)).some(({ above, node }) =>
    list.contains(
      pathOf(
        above.reduce((path, frame) => pathOf(path, frame), at),
        node,
      ),
    ),
  );
}

/** Returns the weight of operations and their payload (docs/contributing/plan.md#cost). */
function weigh(operations: readonly Operation[], { atomicBatch }: ReorderInput): number {
  const each = operationWeight(atomicBatch);
  let weight = 0;
  for (const operation of operations) weight += each + ("element" in operation ? priceOf(operation.element).weight : 1);
  return weight;
}

function lossOf({ path, desired, shape }: PlacedList, name: string): Finding {
  const lost = shape.uuid ? "its uuid and hit count are lost" : "its platform data is lost";
  const message = `"${name}" is deleted and recreated at its place, because the target cannot move entries: ${lost}.`;
  return { kind: "made-again", path: path.entry(name), message, origin: childEntry(desired, name)?.origin ?? -1, refuses: false };
}

function refusal({ path }: PlacedList): Refusal {
  const message =
    "The entries are in a different order, and the target cannot move them. They cannot be recreated, because unmanaged entries follow them, other objects use them or they contain unmanaged nodes. The list cannot be rewritten, because it is not exclusive or rewriteLists is never.";
  return { guard: "order", message, path, allow: undefined };
}
