import { type Document, isMap, isNode, isScalar, isSeq, type Pair, type YAMLMap } from "yaml";
import type { Where } from "../../core/errors.js";
import type { SourceFile } from "../source-file.js";

/** Names of targets in the order of the file; JavaScript would move those that look like numbers. */
export function namesOf(document: Document): string[] {
  const targets = document.get("targets");
  return isMap(targets) ? targets.items.map(({ key }) => textOf(key)) : [];
}

/** Where the value at `keys` stands, or its key; the nearest thing above where it is not there. */
export function whereOf(source: SourceFile, document: Document, keys: readonly string[], atKey = false): Where {
  let node: unknown = document.contents;
  let offset = startOf(node) ?? 0;
  for (const key of keys) {
    const pair = isMap(node) ? pairOf(node, key) : undefined;
    node = isSeq(node) ? node.get(key, true) : pair?.value;
    offset = startOf(atKey && pair !== undefined ? pair.key : node) ?? offset;
  }
  return source.where(offset);
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}

/** A map with more keys is given an index: each target asks for its places, and would go through all targets each time. */
const FEW_KEYS = 12;
const indexes = new WeakMap<YAMLMap, ReadonlyMap<string, Pair>>();

function pairOf(map: YAMLMap, key: string): Pair | undefined {
  if (map.items.length <= FEW_KEYS) return map.items.find((pair) => textOf(pair.key) === key);
  const index = indexes.get(map) ?? new Map(map.items.toReversed().map((pair) => [textOf(pair.key), pair]));
  indexes.set(map, index);
  return index.get(key);
}

/** What a key is written as once it is read. */
export function textOf(key: unknown): string {
  return String(isScalar(key) ? key.value : key);
}
