import { escapeTemplate } from "../../desired/template.js";
import { LONGEST_KEY } from "../../import/encode.js";
import { type Mapping, text, type Value, type Pair as ValuePair } from "../../import/value.js";
import { isMap, isScalar, isSeq, type Pair, toItem, toPair, type YAMLMap, type YAMLSeq } from "../../import/yaml.js";
import { entryHolder, itemName, plainName } from "../../import/yaml-entries.js";
import { refuse } from "./refusal.js";

export interface NewEntry {
  readonly name: string;
  readonly body: Mapping;
  /** Name of the previous entry. Empty for the top of the list; undefined for the end of an unordered list. */
  readonly after: string | undefined;
  /** Column of the entry. */
  readonly indent: number;
  /** True in a list whose entries have no names but their content. */
  readonly isNameless?: boolean;
}

/** An item of a sequence or a pair of a map. */
type Item = unknown;

/** Editable entries of a YAML node. `flush` writes all changes in one pass over the list. */
export class EntryList {
  readonly holder: YAMLMap | YAMLSeq;
  readonly #items = new Map<string, Item>();
  readonly #removed = new Set<Item>();
  readonly #added = new Map<string | undefined, { readonly name: string; readonly item: Item }[]>();
  #order: readonly string[] | undefined;
  /** Keys that come before a key in some entry, before the changes. */
  #fieldOrder: ReadonlyMap<string, ReadonlySet<string>> | undefined;

  /** Throws `NotProposable` if the node is not a map or a sequence of entries. */
  constructor(yaml: unknown) {
    const holder = entryHolder(yaml);
    this.holder =
      isMap(holder) || isSeq(holder) ? holder : refuse("its document writes the list in a form that cannot be changed in place");
    for (const item of this.holder.items as Item[]) {
      const name = isMap(this.holder) ? keyOf(item as Pair) : itemName(item);
      if (name !== undefined) this.#items.set(name, item);
    }
  }

  /** Number of all items, entries or not, after the pending changes. */
  get size(): number {
    let added = 0;
    for (const items of this.#added.values()) added += items.length;
    return this.holder.items.length - this.#removed.size + added;
  }

  has(name: string): boolean {
    return this.#items.has(name);
  }

  /** Returns the YAML of an entry. Throws `NotProposable` if the list has no entry with that name. */
  bodyOf(name: string): unknown {
    const item = this.#items.get(name) ?? refuse("no document declares it by this name");
    return isMap(this.holder) ? (item as Pair).value : item;
  }

  remove(name: string): void {
    this.#removed.add(this.#items.get(name));
    this.#items.delete(name);
  }

  /** Adds an entry in the form that the list already has. */
  add({ name, body: unsorted, after, indent, isNameless }: NewEntry): void {
    const { holder } = this;
    this.#fieldOrder ??= fieldOrderOf(holder);
    const body = { ...unsorted, pairs: inFieldOrder(unsorted.pairs, this.#fieldOrder) };
    if (this.has(name)) refuse("its document declares it already");
    if (isMap(holder)) {
      if (after !== undefined) refuse("its document writes the list without an order");
      if (name.length > LONGEST_KEY || name.startsWith("$")) refuse("its name cannot be a key");
    }
    const item = isNameless === true ? contentItem(holder, body, indent) : namedItem(holder, { name, body, indent });
    this.#items.set(name, item);
    const there = this.#added.get(after);
    if (there === undefined) this.#added.set(after, [{ name, item }]);
    else there.push({ name, item });
  }

  /** Sorts the entries in `live` by its order, within the positions that they occupy. Other entries keep their positions. */
  reorder(live: readonly string[]): void {
    if (isMap(this.holder)) refuse("its document writes the list without an order");
    this.#order = live;
  }

  flush(): void {
    const { holder } = this;
    if (this.#removed.size > 0) keepHeadings(holder, this.#removed);
    const items: Item[] = [];
    const follow = (name: string | undefined) => {
      const waiting = [...(this.#added.get(name) ?? [])].reverse();
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        items.push(next.item);
        waiting.push(...[...(this.#added.get(next.name) ?? [])].reverse());
      }
    };
    follow("");
    for (const item of holder.items as Item[]) {
      if (!this.#removed.has(item)) items.push(item);
      const name = isMap(holder) ? undefined : itemName(item);
      if (name !== undefined) follow(name);
    }
    follow(undefined);
    if (this.#added.size > 0 && isSeq(holder)) keepBlankLines(items);
    // The blank line separated the first entry from a removed one.
    if (this.#removed.size > 0 && items.length > 0) commented(items[0]).spaceBefore = false;
    (holder as { items: Item[] }).items = this.#order === undefined ? items : inOrder(items, this.#order);
  }
}

function fieldOrderOf({ items }: YAMLMap | YAMLSeq): ReadonlyMap<string, ReadonlySet<string>> {
  const before = new Map<string, Set<string>>();
  for (const item of items as Item[]) {
    const body = isMap(item) ? item : (item as Pair | null)?.value;
    const keys = isMap(body) ? body.items.flatMap((pair) => keyOf(pair) ?? []) : [];
    for (const [at, key] of keys.entries()) {
      const known = before.get(key) ?? new Set();
      before.set(key, known);
      for (const earlier of keys.slice(0, at)) known.add(earlier);
    }
  }
  return before;
}

/** Sorts the keys of a new entry as in the other entries. If these do not agree about the order of its keys, the order of the schema stays. */
function inFieldOrder(pairs: readonly ValuePair[], before: ReadonlyMap<string, ReadonlySet<string>>): readonly ValuePair[] {
  const left = [...pairs];
  const sorted: ValuePair[] = [];
  while (left.length > 0) {
    const next = left.findIndex(([key]) => !left.some(([other]) => other !== key && before.get(key)?.has(other) === true));
    if (next === -1) return pairs;
    sorted.push(...left.splice(next, 1));
  }
  return sorted;
}

function keyOf({ key }: Pair): string | undefined {
  return isScalar(key) ? plainName(key.value) : undefined;
}

interface Commented {
  spaceBefore?: boolean;
  commentBefore?: string | null | undefined;
}

/**
 * Moves comments of removed items to the next item, if a blank line separates them from their item. The comment directly above an item
 * belongs to the item. The parser attaches the comment above the first item to the list.
 */
function keepHeadings(holder: YAMLMap | YAMLSeq, removed: ReadonlySet<Item>): void {
  const items = holder.items as readonly Item[];
  let kept = "";
  for (const [at, item] of items.entries()) {
    const own: Commented = at === 0 ? holder : commented(item);
    const comment = own.commentBefore ?? "";
    if (removed.has(item)) {
      kept = joined(kept, headingOf(comment));
      own.commentBefore = null;
    } else {
      if (kept !== "") own.commentBefore = joined(kept, comment);
      kept = "";
    }
  }
  if (kept !== "") holder.comment = joined(kept, holder.comment ?? "").replace(/\n+$/, "");
}

const commented = (item: Item): Commented => ((item as Pair).key ?? item) as Commented;

/** Returns the part of a comment above its last blank line, with this line. */
function headingOf(comment: string): string {
  if (comment.endsWith("\n")) return comment;
  return comment.slice(0, comment.lastIndexOf("\n\n") + 1);
}

/** Joins comments with a blank line. The first one ends with a line break. */
const joined = (first: string, second: string): string => (first === "" || second === "" ? first + second : `${first}\n${second}`);

/** Separates new entries by blank lines if the list does so. */
function keepBlankLines(items: readonly Item[]): void {
  const entries = items.filter(isMap);
  if (entries.some((item) => item.spaceBefore === true))
    for (const item of entries.slice(1)) if (item.range == null) item.spaceBefore = true;
}

function inOrder(items: readonly Item[], live: readonly string[]): Item[] {
  const rank = new Map(live.map((name, index) => [name, index]));
  const rankOf = (item: Item) => rank.get(itemName(item) ?? "") ?? -1;
  const sorted = items.filter((item) => rankOf(item) !== -1).sort((a, b) => rankOf(a) - rankOf(b));
  let next = 0;
  return items.map((item) => (rankOf(item) === -1 ? item : sorted[next++]));
}

function namedItem(holder: YAMLMap | YAMLSeq, { name, body, indent }: Pick<NewEntry, "name" | "body" | "indent">): Item {
  return isMap(holder) ? toPair(escapeTemplate(name), body, indent) : toItem(itemValue(holder, name, body), indent);
}

/** Returns an entry without a name, on one line if the last entry is. */
function contentItem(holder: YAMLMap | YAMLSeq, body: Mapping, indent: number): Item {
  if (isMap(holder)) return refuse("its document writes the list in a form that cannot be changed in place");
  const item = toItem(body, indent);
  const last = holder.items.findLast(isMap);
  if (last !== undefined && isMap(item)) item.flow = last.flow === true;
  return item;
}

function itemValue(holder: YAMLSeq, name: string, body: Mapping): Value {
  const escaped = escapeTemplate(name);
  const [sample] = holder.items;
  if (body.pairs.length === 0 && isScalar(sample)) return text(escaped);
  const keyed = isMap(sample) && sample.items.length === 1 && itemName(sample) !== undefined && !sample.has("name");
  if (keyed) return { kind: "mapping", of: "entries", inline: false, pairs: [[escaped, body]] };
  const pairs: ValuePair[] = [["name", text(escaped)], ...body.pairs];
  return { ...body, pairs };
}
