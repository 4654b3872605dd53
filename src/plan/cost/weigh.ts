import type { TreeNode } from "../../core/tree/node.js";
import { arrangeBlocks, declaredBlocks } from "../blocks.js";
import { minimalMoves } from "../moves.js";
import { contentOf, DEFINING, isDefiningList, MODES, type PartKind, PLAIN, REFERRING } from "./content.js";
import type { Difference } from "./difference.js";
import type { CostInput } from "./input.js";
import { isReplaceable } from "./legality.js";
import { operationWeight } from "./operation-weight.js";
import { payloadOf, withUuids } from "./payload.js";
import { FREE, IMPOSSIBLE, isCheaper, minus, type Price, plus, priceOf, priceOfFrame } from "./price.js";

/** How a node is written: each part separately, one `set` in a mode, the element replaced, or simple writes. */
export type Way =
  | { readonly way: "parts" }
  | { readonly way: "merge"; readonly mode: PartKind }
  | { readonly way: "edit"; readonly element: TreeNode }
  | { readonly way: "delete" }
  | { readonly way: "sets"; readonly elements: readonly TreeNode[] };

/** Price of a node when written separately, and inside an open `set` above it, by mode of that `set`. */
export interface Weighed {
  readonly node: Difference;
  readonly children: readonly Weighed[];
  readonly alone: Price;
  readonly how: Way;
  readonly open: readonly Open[];
  /** The child with the defining list of a `set` that may contain one. */
  readonly definer: Weighed | undefined;
}

interface Open {
  readonly price: Price;
  /** Content in the open `set`: a new element, or a container for the content of children. Undefined if the node is written separately. */
  readonly carries: { readonly element: TreeNode; readonly rest: readonly TreeNode[] } | "frame" | undefined;
}

/** Computes the recurrence of docs/contributing/plan.md#the-recurrence, bottom-up over the nodes that differ. Exact for the writes that it allows. */
export class Scale {
  readonly #input: CostInput;
  readonly #operation: number;

  constructor(input: CostInput) {
    this.#input = input;
    this.#operation = operationWeight(input.atomicBatch);
  }

  weigh(node: Difference): Weighed {
    switch (node.deed.kind) {
      case "delete":
        return this.#always(node, this.#request(node.path, FREE, 1), { way: "delete" });
      case "leaf":
        return this.#leaf(node, node.deed.element);
      case "make":
        return this.#make(node, node.deed.element);
      default:
        return this.#frame(node);
    }
  }

  /** Returns the price of an operation on `at` that sends `payload`. */
  #request(at: { toString(): string }, payload: Price, nodes = 0): Price {
    return { weight: this.#operation + nodes + payload.weight, bytes: at.toString().length + payload.bytes };
  }

  #set(node: Difference, element: TreeNode): Price {
    return this.#request(node.path.parent ?? "", priceOf(element));
  }

  /** Weighs a write that no `set` above can contain. */
  #always(node: Difference, alone: Price, how: Way): Weighed {
    return { node, children: [], alone, how, open: MODES.map(() => ({ price: alone, carries: undefined })), definer: undefined };
  }

  #leaf(node: Difference, element: TreeNode): Weighed {
    const isEmpty = element.children.length === 0 && element.text === "";
    if (isEmpty || element.children.length > 0)
      return this.#always(node, this.#request(node.path, priceOf(element)), { way: "edit", element });
    return this.#complete(node, element, !node.inUnit && refers(node) ? REFERRING : PLAIN);
  }

  #make(node: Difference, element: TreeNode): Weighed {
    if (node.inUnit) return this.#complete(node, element, PLAIN);
    const content = contentOf(element, node.shape, node.above);
    if ("mode" in content) return this.#complete(node, element, content.mode);
    const slices = content.slices.map((slice) => ({ ...slice, price: this.#set(node, slice.element) }));
    const alone = slices.map((slice) => slice.price).reduce(plus);
    const open = MODES.map((mode): Open => {
      const carried = slices.find((slice) => slice.mode === mode);
      if (carried === undefined) return { price: alone, carries: undefined };
      const rest = slices.filter((slice) => slice !== carried).map((slice) => slice.element);
      return { price: plus(minus(alone, carried.price), priceOf(carried.element)), carries: { element: carried.element, rest } };
    });
    return { node, children: [], alone, how: { way: "sets", elements: slices.map((slice) => slice.element) }, open, definer: undefined };
  }

  /** Weighs an element that must be sent completely. */
  #complete(node: Difference, element: TreeNode, needs: PartKind): Weighed {
    const alone = this.#set(node, element);
    const carried: Open = { price: priceOf(element), carries: { element, rest: [] } };
    const separate: Open = { price: alone, carries: undefined };
    const open = MODES.map((mode) => (needs === PLAIN || mode === needs ? carried : separate));
    return { node, children: [], alone, how: { way: "sets", elements: [element] }, open, definer: undefined };
  }

  #frame(node: Difference): Weighed {
    const children = node.children.map((child) => this.weigh(child));
    const between: Price = { weight: movesNeeded(node) * (this.#operation + 1), bytes: 0 };
    const definer = isOwnList(node) ? undefined : definerOf(children);
    const merges = MODES.map((mode) => merge(node, children, definer, mode, between));
    let alone = children.map((child) => child.alone).reduce(plus, between);
    let how: Way = { way: "parts" };
    for (const mode of MODES) {
      const merged = merges[mode] ?? IMPOSSIBLE;
      const price = plus(this.#request(node.path.parent ?? "", FREE), merged);
      if (node.path.depth < 2 || !isCheaper(price, alone)) continue;
      alone = price;
      how = { way: "merge", mode };
    }
    const element = this.#replacement(node, isMisorderedMembers(node) ? IMPOSSIBLE : alone);
    if (element !== undefined) {
      alone = this.#request(node.path, priceOf(element));
      how = { way: "edit", element };
    }
    const isBarrier = node.shape.scope || node.shape.globalScope;
    const open = merges.map((merged): Open => {
      const isCarried = !isBarrier && !isMisorderedMembers(node) && isCheaper(merged, alone);
      return isCarried ? { price: merged, carries: "frame" } : { price: alone, carries: undefined };
    });
    return { node, children, alone, how, open, definer };
  }

  /** Returns the element that replaces the node, if the edit is legal and cheaper than `limit`. */
  #replacement(node: Difference, limit: Price): TreeNode | undefined {
    const { desired, live, path } = node;
    const { only, rewriteLists } = this.#input;
    if (desired === undefined || live === undefined || path.depth < 2 || node.isInherited) return undefined;
    if (only !== undefined && !only.contains(path)) return undefined;
    const budget = limit.weight - this.#operation;
    if (!isReplaceable(desired, live, node.shape, { rewriteLists: rewriteLists === "allowed", isOverridden: node.isOverridden, budget }))
      return undefined;
    const payload = payloadOf(desired);
    if (payload === undefined) return undefined;
    const element = withUuids(payload, live);
    return isCheaper(this.#request(path, priceOf(element)), limit) ? element : undefined;
  }
}

/** Returns whether the node is a defining list outside entries of another one. */
function isOwnList(node: Difference): boolean {
  return !node.inUnit && isDefiningList(node.shape);
}

/** Returns the child whose defining list saves most inside the open `set`. */
function definerOf(children: readonly Weighed[]): Weighed | undefined {
  let definer: Weighed | undefined;
  let saved: Price = FREE;
  for (const child of children) {
    const gain = minus(priceIn(child, DEFINING), priceIn(child, PLAIN));
    if (!isCheaper(gain, saved)) continue;
    saved = gain;
    definer = child;
  }
  return definer;
}

/** Returns the price of the node as a container in an open `set`, including children in it and next to it. */
function merge(node: Difference, children: readonly Weighed[], definer: Weighed | undefined, mode: PartKind, between: Price): Price {
  if (isOwnList(node) && mode !== DEFINING) return IMPOSSIBLE;
  const inner = (child: Weighed): PartKind => (mode !== DEFINING || child === definer ? mode : PLAIN);
  return children.map((child) => priceIn(child, inner(child))).reduce(plus, plus(priceOfFrame(node.path), between));
}

function priceIn(child: Weighed, mode: PartKind): Price {
  return child.open[mode]?.price ?? child.alone;
}

/** Returns the mode for `child` inside a container in `mode`. */
export function modeInside(frame: Weighed, child: Weighed, mode: PartKind): PartKind {
  if (mode !== DEFINING) return mode;
  return frame.definer === child ? DEFINING : PLAIN;
}

/** Members in the wrong order can only be replaced together. */
function isMisorderedMembers(node: Difference): boolean {
  return node.order !== undefined && node.shape.kind !== "list";
}

function refers({ path, shape, above }: Difference): boolean {
  return shape.references.length > 0 || (path.text !== undefined && above.references.length > 0);
}

/** Returns the number of moves that an ordered list needs after new entries are appended and extra ones are deleted. */
function movesNeeded(list: Difference): number {
  const { desired, live, shape } = list;
  if (!shape.ordered || shape.kind !== "list" || desired === undefined || live === undefined) return 0;
  const removedNames = new Set<string>();
  const created: string[] = [];
  const newNames = new Map<string, string>();
  for (const { deed, path, renamed } of list.children) {
    if (path.name === undefined) continue;
    if (deed.kind === "delete") removedNames.add(path.name);
    if (deed.kind === "make") created.push(path.name);
    if (renamed !== undefined) newNames.set(renamed.from, path.name);
  }
  if (list.order === undefined && created.length === 0) return 0;
  const staying: string[] = [];
  for (const { name } of live.children) if (name !== undefined && !removedNames.has(name)) staying.push(newNames.get(name) ?? name);
  const names = new Set([...staying, ...created]);
  const blocks = declaredBlocks(desired, names);
  const arranged = arrangeBlocks(staying, blocks);
  if (!("order" in arranged)) return 0;
  const declaredNames = new Set(blocks.flatMap(({ declared }) => declared));
  return minimalMoves([...staying, ...created], arranged.order, new Set(staying.filter((name) => !declaredNames.has(name)))).length;
}
