import { parseJson } from "../../../core/json/parse.js";
import { isObject, type Json, sameJson } from "../../../core/json/value.js";
import { badRequest } from "../world/controller-error.js";
import type { StoredObject } from "../world/stored-object.js";

/** Wanted values by property: one of them must be equal, in every property. */
export type Filters = ReadonlyMap<string, readonly Json[]>;

/** Reads `key==value,key==value`. A value is JSON or a bare word; only simple values can be compared. */
export function parseFilters(text: string | undefined): Filters {
  const filters = new Map<string, Json[]>();
  for (const each of text === undefined || text === "" ? [] : text.split(",")) {
    const [key = "", raw, ...rest] = each.split("==");
    const value = raw === undefined ? undefined : filterValue(raw);
    if (value === undefined || rest.length > 0 || isObject(value) || Array.isArray(value)) throw badRequest(`Invalid filter ${each}`);
    filters.set(key, [...(filters.get(key) ?? []), value]);
  }
  return filters;
}

function filterValue(raw: string): Json {
  try {
    return parseJson(raw);
  } catch {
    return raw;
  }
}

export function fitsFilters({ properties }: StoredObject, filters: Filters): boolean {
  for (const [key, values] of filters) {
    const actual = properties[key];
    if (actual === undefined || !values.some((value) => sameJson(value, actual))) return false;
  }
  return true;
}
