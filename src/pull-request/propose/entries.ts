import { escapeTemplate } from "../../desired/template.js";
import { LONGEST_KEY } from "../../import/encode.js";
import { type Mapping, text, type Pair as ValuePair } from "../../import/value.js";
import { isMap, isScalar, isSeq, toItem, toPair, type YAMLMap, type YAMLSeq } from "../../import/yaml.js";
import { entryHolder, itemName, plainName } from "../../import/yaml-entries.js";
import { refuse } from "./refusal.js";

/** The map or sequence that holds the entries of a list. Throws `NotProposable` for any other form. */
export function holderOf(yaml: unknown): YAMLMap | YAMLSeq {
  const holder = entryHolder(yaml);
  return isMap(holder) || isSeq(holder) ? holder : refuse("its document writes the list in a form that cannot be changed in place");
}

/** Entries by name, as they stand now. */
export function namesIn(holder: YAMLMap | YAMLSeq): ReadonlyMap<string, unknown> {
  const names = new Map<string, unknown>();
  if (isMap(holder)) {
    for (const { key, value } of holder.items) {
      const name = isScalar(key) ? plainName(key.value) : undefined;
      if (name !== undefined) names.set(name, value);
    }
  } else {
    for (const item of holder.items) {
      const name = itemName(item);
      if (name !== undefined) names.set(name, item);
    }
  }
  return names;
}

export function removeEntry(holder: YAMLMap | YAMLSeq, name: string): void {
  if (isMap(holder)) holder.items = holder.items.filter(({ key }) => !(isScalar(key) && plainName(key.value) === name));
  else holder.items = holder.items.filter((item) => itemName(item) !== name);
}

export interface NewEntry {
  readonly name: string;
  readonly body: Mapping;
  /** The entry that it comes behind, empty for the top; undefined for the end, where order has no meaning. */
  readonly after: string | undefined;
  /** Column at which it is to stand. */
  readonly indent: number;
}

/** Adds an entry in the form that the list already has. */
export function addEntry(holder: YAMLMap | YAMLSeq, { name, body, after, indent }: NewEntry): void {
  if (namesIn(holder).has(name)) refuse("its document says it already");
  if (isMap(holder)) {
    if (after !== undefined) refuse("its document writes the list without an order");
    if (name.length > LONGEST_KEY || name.startsWith("$")) refuse("its name cannot be a key");
    holder.items.push(toPair(escapeTemplate(name), body, indent));
    return;
  }
  const item = toItem(itemValue(holder, name, body), indent);
  const at = after === undefined ? holder.items.length : after === "" ? 0 : holder.items.findIndex((one) => itemName(one) === after) + 1;
  // A blank line between the entries of a list goes on.
  if (isMap(item) && holder.items.some((one) => isMap(one) && one.spaceBefore === true)) {
    const [first] = holder.items;
    if (at > 0) item.spaceBefore = true;
    else if (isMap(first)) first.spaceBefore = true;
  }
  holder.items.splice(at, 0, item);
}

/** Puts the entries that `live` names in its order, in the places that they have together; others stay where they are. */
export function reorder(holder: YAMLSeq, live: readonly string[]): void {
  const rank = new Map(live.map((name, index) => [name, index]));
  const rankOf = (item: unknown) => rank.get(itemName(item) ?? "") ?? -1;
  const sorted = holder.items.filter((item) => rankOf(item) !== -1).sort((a, b) => rankOf(a) - rankOf(b));
  let next = 0;
  holder.items = holder.items.map((item) => (rankOf(item) === -1 ? item : sorted[next++]));
}

function itemValue(holder: YAMLSeq, name: string, body: Mapping): Mapping | ReturnType<typeof text> {
  const escaped = escapeTemplate(name);
  if (body.pairs.length === 0 && holder.items.some((item) => isScalar(item))) return text(escaped);
  const keyed = holder.items.some((item) => isMap(item) && item.items.length === 1 && itemName(item) !== undefined && !item.has("name"));
  if (keyed) return { kind: "mapping", of: "entries", inline: false, pairs: [[escaped, body]] };
  const pairs: ValuePair[] = [["name", text(escaped)], ...body.pairs];
  return { ...body, pairs };
}
