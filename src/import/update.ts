import { isDeepStrictEqual } from "node:util";
import type { TreeNode } from "../core/tree/node.js";
import { escapeTemplate, parseTemplate } from "../desired/template.js";
import { LONGEST_KEY } from "./encode.js";
import { KEEP, readFragment } from "./fragment.js";
import type { Mapping, Pair, Sequence, Value } from "./value.js";
import { isMap, isScalar, isSeq, type Scalar, setText, toItem, toNode, toPair, type YAMLMap, type YAMLSeq } from "./yaml.js";
import { entryHolder, itemName, plainName, valueAt } from "./yaml-entries.js";

/** Directives that users add and import never writes. They are kept. */
const KEPT: ReadonlySet<string> = new Set(["$partial", "$position", "$was", "$adopt", "$down", "$override", "$replace"]);
/** Every key under `$entries` is a name, so no directive is kept there. */
const NOTHING: ReadonlySet<string> = new Set();
const MAKERS = ["$forEach", "$count"];
const STEP = 2;

/**
 * Updates a node of an existing document in place. Comments, order, grouping, references (`${…}`) and directives are kept. Changed values
 * are replaced, new ones are inserted at their position, and missing ones are removed.
 */
export class Updater {
  changed = false;

  /** Updates the children of a map. `indent` is the column of its keys. */
  mapping(map: YAMLMap, value: Mapping, indent: number): void {
    const partial = valueAt(map, "$partial") !== undefined;
    this.#pairs(map, value.pairs, indent, (key) => (typeof key === "string" ? key : undefined), partial);
  }

  #node(node: unknown, value: Value, indent: number): unknown {
    if (isScalar(node) && value.kind === "text") return this.#scalar(node, value.text);
    if (isMap(node) && MAKERS.some((maker) => valueAt(node, maker) !== undefined)) return node;
    if (isSeq(node) && node.items.some((item) => isMap(item) && MAKERS.some((maker) => valueAt(item, maker) !== undefined))) return node;
    const entries = entriesOf(value);
    if (entries !== undefined && (isMap(node) || isSeq(node)) && !(isMap(node) && valueAt(node, "$xml") !== undefined)) {
      if (this.#entries(node, entries, value, indent)) return node;
    } else if (value.kind === "sequence" && value.of === "contents") {
      if (isSeq(node) && isDeepStrictEqual(node.toJSON(), plainValue(value))) return node;
    } else if (value.kind === "sequence" && (isSeq(node) || isMap(node))) {
      if (this.#members(node, value, indent)) return node;
    } else if (value.kind === "mapping" && value.of === "children" && isMap(node)) {
      this.mapping(node, value, indent);
      return node;
    }
    this.changed = true;
    return toNode(value, indent);
  }

  /** Keeps a value with a reference. Its resolved value is compared in a plan. */
  #scalar(node: Scalar, text: string): Scalar {
    if (node.value === text || (typeof node.value === "string" && refers(node.value))) return node;
    this.changed = true;
    return setText(node, text);
  }

  /** Keeps a fragment with references, except `${keep}`, which import writes itself. */
  #fragment(node: unknown, value: Value): unknown {
    if (!isScalar(node) || value.kind !== "text" || node.value === value.text) return node;
    if (typeof node.value === "string" && textsOf(node.value).some((one) => one !== KEEP && refers(one))) return node;
    this.changed = true;
    return setText(node, value.text);
  }

  #pairs(
    map: YAMLMap,
    pairs: readonly Pair[],
    indent: number,
    nameOf: (key: unknown) => string | undefined,
    partial: boolean,
    directives = KEPT,
  ): void {
    const wanted = new Map(pairs.map((pair) => [nameOf(pair[0]) ?? pair[0], pair]));
    const keyOf = (item: YAMLMap["items"][number]) => (isScalar(item.key) ? nameOf(item.key.value) : undefined);
    const kept = map.items.filter((item) => {
      const key = keyOf(item);
      return key === undefined || wanted.has(key) || directives.has(key) || (partial && key.startsWith("$"));
    });
    if (kept.length < map.items.length) this.changed = true;
    const there = new Map(kept.map((item) => [keyOf(item), item]));
    for (const [key, [, value]] of wanted) {
      const item = there.get(key);
      if (item !== undefined)
        item.value = key === "$xml" ? this.#fragment(item.value, value) : this.#node(item.value, value, indent + STEP);
    }
    const additions = partial ? [] : [...wanted].filter(([key]) => !there.has(key));
    if (additions.length > 0) {
      this.changed = true;
      const added = new Map(additions.map(([key, [written, value]]) => [key, toPair(written, value, indent)]));
      map.items = insertAfterPredecessors(kept, keyOf, [...wanted.keys()], added);
      if (map.flow === true && map.items.length > 4) map.flow = false;
    } else map.items = kept;
  }

  /** Updates entries. Returns false if the two forms are not compatible and the value must be written again. */
  #entries(node: YAMLMap | YAMLSeq, entries: ReadonlyMap<string, Mapping>, value: Value, indent: number): boolean {
    const holder = entryHolder(node);
    if (holder === node && value.kind === "mapping" && value.of === "children") return false;
    const inner = holder === node ? indent : indent + STEP;
    if (isMap(holder)) {
      const fitsAsKey = (name: string) => name.length <= LONGEST_KEY && (holder !== node || !name.startsWith("$"));
      if (isOrdered(value) || ![...entries.keys()].every(fitsAsKey)) return false;
      const pairs = [...entries].map(([name, body]): Pair => [escapeName(name), body]);
      this.#pairs(holder, pairs, inner, plainName, false, holder === node ? KEPT : NOTHING);
      return true;
    }
    if (!isSeq(holder)) return false;
    const there = new Map<string, unknown>();
    for (const item of holder.items) there.set(itemName(item) ?? "", item);
    const order = orderOf(holder, there, entries, isOrdered(value));
    this.#setItems(
      holder,
      order.map((name) => this.#item(there.get(name), name, entries.get(name) as Mapping, inner)),
    );
    return true;
  }

  #item(item: unknown, name: string, body: Mapping, indent: number): unknown {
    if (isMap(item)) {
      const named = isScalar(valueAt(item, "name"));
      if (named) this.mapping(item, { ...body, pairs: [["name", { kind: "text", text: escapeName(name) }], ...body.pairs] }, indent + STEP);
      else this.#pairs(item, [[escapeName(name), body]], indent + STEP, plainName, false);
      return item;
    }
    if (item !== undefined && body.pairs.length === 0) return item;
    this.changed = true;
    if (body.pairs.length === 0) return toItem({ kind: "text", text: escapeName(name) }, indent);
    return toItem({ ...body, pairs: [["name", { kind: "text", text: escapeName(name) }], ...body.pairs] }, indent);
  }

  #members(node: YAMLMap | YAMLSeq, value: Sequence, indent: number): boolean {
    const holder = isMap(node) ? (valueAt(node, "$members") ?? valueAt(node, "$include")) : node;
    if (!isSeq(holder)) return false;
    const wanted = new Map(value.items.map((item) => [item.kind === "text" ? item.text : "", item]));
    const textOf = (item: unknown) => (isScalar(item) && typeof item.value === "string" ? item.value : undefined);
    const kept = holder.items.filter((item) => wanted.has(textOf(item) ?? "") || refers(textOf(item) ?? ""));
    const there = new Map(kept.map((item) => [textOf(item), item]));
    const limited = isMap(node) && valueAt(node, "$include") !== undefined;
    const added = limited ? [] : [...wanted].filter(([text]) => !there.has(text));
    if (kept.length === holder.items.length && added.length === 0 && !value.ordered) return true;
    const items = value.ordered
      ? [...wanted].map(([text, item]) => there.get(text) ?? toItem(item, indent))
      : [...kept, ...added.map(([, item]) => toItem(item, indent))];
    this.#setItems(holder, items);
    return true;
  }

  #setItems(sequence: YAMLSeq, items: unknown[]): void {
    if (items.length !== sequence.items.length || items.some((item, index) => item !== sequence.items[index])) this.changed = true;
    sequence.items = items;
  }
}

/** Returns the entries of a value by name, for each form of a list of entries. */
function entriesOf(value: Value): ReadonlyMap<string, Mapping> | undefined {
  if (value.kind === "text") return undefined;
  if (value.kind === "mapping") {
    const only = value.pairs.length === 1 ? value.pairs[0] : undefined;
    if (value.of === "children") return only?.[0] === "$entries" ? entriesOf(only[1]) : undefined;
    return new Map(value.pairs.map(([key, body]) => [plainName(key) ?? key, body as Mapping]));
  }
  if (value.of !== "entries") return undefined;
  const entries = new Map<string, Mapping>();
  for (const item of value.items) {
    if (item.kind === "text") entries.set(plainName(item.text) ?? "", { kind: "mapping", of: "children", inline: true, pairs: [] });
    else if (item.kind === "mapping") {
      const [first, ...rest] = item.pairs;
      if (first?.[0] === "name" && first[1].kind === "text" && item.of === "children") {
        entries.set(plainName(first[1].text) ?? "", { ...item, pairs: rest });
      } else if (first !== undefined) entries.set(plainName(first[0]) ?? "", first[1] as Mapping);
    }
  }
  return entries;
}

function plainValue(value: Value): unknown {
  if (value.kind === "text") return value.text;
  if (value.kind === "sequence") return value.items.map(plainValue);
  return Object.fromEntries(value.pairs.map(([key, inner]) => [key, plainValue(inner)]));
}

function isOrdered(value: Value): boolean {
  if (value.kind === "sequence") return value.ordered;
  const only = value.kind === "mapping" && value.of === "children" && value.pairs.length === 1 ? value.pairs[0] : undefined;
  return only?.[0] === "$entries" && isOrdered(only[1]);
}

/** Returns the names in their new order: the live order if it is significant, else the order of the file with new names at the end. */
function orderOf(
  holder: YAMLSeq,
  there: ReadonlyMap<string, unknown>,
  entries: ReadonlyMap<string, Mapping>,
  ordered: boolean,
): readonly string[] {
  if (ordered) return [...entries.keys()];
  const kept = holder.items.map((item) => itemName(item) ?? "").filter((name) => entries.has(name));
  return [...kept, ...[...entries.keys()].filter((name) => !there.has(name))];
}

/** Keeps the order of the items. Inserts each new one after the nearest existing item that precedes it in `wanted`. */
function insertAfterPredecessors<Item>(
  kept: readonly Item[],
  keyOf: (item: Item) => string | undefined,
  wanted: readonly string[],
  added: ReadonlyMap<string, Item>,
): Item[] {
  const after = new Map<string | undefined, Item[]>();
  let anchor: string | undefined;
  for (const key of wanted) {
    const item = added.get(key);
    if (item === undefined) anchor = key;
    else {
      const list = after.get(anchor);
      if (list === undefined) after.set(anchor, [item]);
      else list.push(item);
    }
  }
  const placed = kept.flatMap((item) => {
    const key = keyOf(item);
    return [item, ...(key === undefined ? [] : (after.get(key) ?? []))];
  });
  return [...(after.get(undefined) ?? []), ...placed];
}

/** Returns the texts of a fragment, in which references are resolved. Names contain none. */
function textsOf(xml: string): string[] {
  const collect = (node: TreeNode): string[] => (node.children.length === 0 ? [node.text] : node.children.flatMap(collect));
  const fragment = readFragment(xml);
  return fragment === undefined ? [] : collect(fragment);
}

function refers(text: string): boolean {
  const template = parseTemplate(text);
  return !("unclosedAt" in template) && template.some((part) => typeof part !== "string");
}

function escapeName(name: string): string {
  return escapeTemplate(name);
}
