/** A JSON value. Integers beyond 2^53 are `bigint`, so that the 64-bit halves of a uuid stay exact. */
export type Json = null | boolean | number | bigint | string | Json[] | JsonObject;

export interface JsonObject {
  [key: string]: Json;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the member if it is an object. */
export function objectAt(value: JsonObject, key: string): JsonObject | undefined {
  const member = value[key];
  return isObject(member) ? member : undefined;
}

/** Returns the objects of a list member. Empty if the member is not a list. */
export function objectsAt(value: JsonObject, key: string): JsonObject[] {
  const member = value[key];
  return Array.isArray(member) ? member.filter(isObject) : [];
}

/** Returns the member if it is a string. */
export function textAt(value: JsonObject, key: string): string | undefined {
  const member = value[key];
  return typeof member === "string" ? member : undefined;
}

/** Returns the strings of a list. Undefined if the value is not a list of strings. */
export function texts(value: Json | undefined): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const strings = value.filter((each) => typeof each === "string");
  return strings.length === value.length ? strings : undefined;
}

export function copy<T extends Json>(value: T): T {
  return structuredClone(value);
}

/** Compares by value. The order of keys does not matter. */
export function sameJson(a: Json, b: Json): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((each, index) => sameJson(each, b[index] ?? null));
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => key in b && sameJson(a[key] ?? null, b[key] ?? null));
}
