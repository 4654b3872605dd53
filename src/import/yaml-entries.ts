import { parseTemplate } from "../desired/template.js";
import { isMap, isScalar, isSeq, type YAMLMap, type YAMLSeq } from "./yaml.js";

const known = new WeakMap<object, ReadonlyMap<string, unknown>>();

/** Returns the entries in a node of `config:` by name. Undefined if it has none. Cached per node. */
export function entryNodes(yaml: unknown): ReadonlyMap<string, unknown> | undefined {
  if (!isMap(yaml) && !isSeq(yaml)) return undefined;
  let entries = known.get(yaml);
  if (entries === undefined) {
    entries = readEntries(yaml);
    known.set(yaml, entries);
  }
  return entries;
}

/** Returns the list or map of the entries: the value of `$entries` if it exists, else the node. */
export function entryHolder(yaml: unknown): unknown {
  return (isMap(yaml) ? valueAt(yaml, "$entries") : undefined) ?? yaml;
}

export function valueAt(map: YAMLMap, key: string): unknown {
  return map.items.find((pair) => isScalar(pair.key) && pair.key.value === key)?.value ?? undefined;
}

const contentNames = new WeakMap<object, string>();

/** Sets the name of an item in a list whose entries are named by their content. */
export function setContentName(item: YAMLMap, name: string): void {
  contentNames.set(item, name);
}

/** Returns the name of an item in a sequence of entries. Undefined if it has none. */
export function itemName(item: unknown): string | undefined {
  if (isScalar(item)) return plainName(item.value);
  if (!isMap(item)) return undefined;
  const own = contentNames.get(item);
  if (own !== undefined) return own;
  const name = valueAt(item, "name");
  if (isScalar(name)) return plainName(name.value);
  const only = item.items.length === 1 ? item.items[0]?.key : undefined;
  return isScalar(only) ? plainName(only.value) : undefined;
}

/** Parses a name like the loader. A name cannot contain a reference. */
export function plainName(text: unknown): string | undefined {
  if (typeof text !== "string") return undefined;
  const template = parseTemplate(text);
  if ("unclosedAt" in template || template.length !== 1) return undefined;
  const [only] = template;
  return typeof only === "string" ? only : undefined;
}

function readEntries(yaml: YAMLMap | YAMLSeq): Map<string, unknown> {
  const holder = entryHolder(yaml);
  const entries = new Map<string, unknown>();
  if (isMap(holder)) {
    for (const { key, value } of holder.items) {
      const name = isScalar(key) ? plainName(key.value) : undefined;
      if (name !== undefined) entries.set(name, value);
    }
  } else if (isSeq(holder)) {
    for (const item of holder.items) {
      const name = itemName(item);
      if (name !== undefined) entries.set(name, item);
    }
  }
  return entries;
}
