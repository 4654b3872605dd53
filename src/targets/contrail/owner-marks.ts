import { type JsonObject, objectAt, objectsAt, textAt } from "../../core/json/value.js";

/** Annotations that name the owner of an object (docs/ownership.md#marks). */
export const OWNER_KEY = "plumbline_owner";
export const KEY_KEY = "plumbline_key";

/** Returns the owner in an object's mark. A mark that was copied from another object is ignored. */
export function ownerOf(document: JsonObject, name: string): string | undefined {
  const pairs = annotationsOf(document);
  return pairs.get(KEY_KEY) === name ? pairs.get(OWNER_KEY) : undefined;
}

function annotationsOf(document: JsonObject): Map<string, string> {
  const pairs = objectsAt(objectAt(document, "annotations") ?? {}, "key_value_pair");
  return new Map(pairs.map((pair) => [textAt(pair, "key") ?? "", textAt(pair, "value") ?? ""]));
}

export function isMark(key: string): boolean {
  return key === OWNER_KEY || key === KEY_KEY;
}

/** Builds `annotations` of a new object. */
export function annotationsFor(owner: string, name: string, others: ReadonlyMap<string, string>): JsonObject {
  const pairs = [[OWNER_KEY, owner], [KEY_KEY, name], ...others] as const;
  return { key_value_pair: pairs.map(([key, value]) => ({ key, value })) };
}
