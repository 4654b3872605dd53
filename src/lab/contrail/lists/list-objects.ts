import { type Json, type JsonObject, objectAt, objectsAt } from "../../../core/json/value.js";
import type { Caller } from "../access/caller.js";
import { collectionOf } from "../schema/resource-types.js";
import { mayAccess } from "../world/permissions.js";
import { renderListed } from "../world/render.js";
import { joinedName, type StoredObject } from "../world/stored-object.js";
import type { ContrailWorld } from "../world/world.js";
import { fitsFilters } from "./filters.js";
import type { ListQuery } from "./list-query.js";

/** Answers a list. Silently omits objects that the caller may not read. */
export function listObjects(world: ContrailWorld, type: string, query: ListQuery, caller: Caller, base: string): JsonObject {
  const collection = collectionOf(type);
  const anchored = query.parentIds ?? query.parentName ?? query.uuids ?? query.backReferenceIds;
  const markerOf = anchored === undefined ? longMarker : ({ uuid }: StoredObject): string => uuid;
  const found = chosen(world, type, query).sort(by(markerOf));
  const { items, marker } = pageOf(found, query.page, markerOf);
  const shown = items.filter((object) => fitsFilters(object, query.filters) && isVisible(object, caller));
  if (query.shared) shown.push(...otherSharedObjects(world, type, new Set(found), caller));
  if (query.count) return { [collection]: { count: shown.length } };
  const href = query.hrefs ? base : undefined;
  const listed: Json[] = shown.map((object) => {
    const item = renderListed(world, object, href, query);
    return query.detail ? { [type]: item } : item;
  });
  return query.page === undefined ? { [collection]: listed } : { [collection]: listed, marker: marker ?? null };
}

function longMarker({ fqName, uuid }: StoredObject): string {
  return `${joinedName(fqName)}:${uuid}`;
}

function by(key: (object: StoredObject) => string): (a: StoredObject, b: StoredObject) => number {
  return (a, b) => (key(a) < key(b) ? -1 : 1);
}

/** Selects objects by parent, ids, names and references. Filters and pages are applied later. */
function chosen(world: ContrailWorld, type: string, query: ListQuery): StoredObject[] {
  const { store } = world;
  let objects: StoredObject[] | undefined;
  const narrow = (candidates: Iterable<StoredObject>): void => {
    const those = new Set(candidates);
    objects = objects === undefined ? [...those] : objects.filter((each) => those.has(each));
  };
  const parentIds =
    query.parentIds ?? (query.parentName === undefined ? undefined : parentsNamed(world, type, query.parentName, query.parentType));
  if (parentIds !== undefined) narrow(parentIds.flatMap((id) => [...(store.childrenOf(id).get(type) ?? [])]));
  if (query.uuids !== undefined) narrow(query.uuids.flatMap((id) => store.get(id) ?? []).filter((each) => each.type === type));
  if (query.names !== undefined) narrow(query.names.flatMap((name) => store.named(type, name.split(":")) ?? []));
  if (query.backReferenceIds !== undefined) narrow(query.backReferenceIds.flatMap((id) => [...(store.referrersOf(id).get(type) ?? [])]));
  return objects ?? [...store.ofType(type)];
}

function parentsNamed(world: ContrailWorld, type: string, name: readonly string[], parentType: string | undefined): string[] {
  const types =
    parentType === undefined ? new Set([...world.store.ofType(type)].flatMap(({ parent }) => parent?.type ?? [])) : [parentType];
  return [...types].flatMap((each) => world.store.named(each, name)?.uuid ?? []);
}

/** A full page has a marker, even the last one. */
function pageOf(
  objects: StoredObject[],
  page: ListQuery["page"],
  markerOf: (object: StoredObject) => string,
): { items: StoredObject[]; marker: string | undefined } {
  if (page === undefined) return { items: objects, marker: undefined };
  const { marker: after, limit } = page;
  const rest = after === undefined ? objects : objects.filter((object) => markerOf(object) > after);
  const items = rest.slice(0, limit);
  const last = items.at(-1);
  return { items, marker: items.length < limit || last === undefined ? undefined : markerOf(last) };
}

function isVisible(object: StoredObject, caller: Caller): boolean {
  if (caller.admin) return true;
  return objectAt(object.properties, "id_perms")?.user_visible !== false && mayAccess(object, caller, "R");
}

/** Objects that are public or shared, in addition to those already found. */
function otherSharedObjects(world: ContrailWorld, type: string, found: ReadonlySet<StoredObject>, caller: Caller): StoredObject[] {
  return [...world.store.ofType(type)]
    .filter((object) => {
      const perms = objectAt(object.properties, "perms2") ?? {};
      const open = typeof perms.global_access === "number" && perms.global_access > 0;
      return !found.has(object) && (open || objectsAt(perms, "share").length > 0) && isVisible(object, caller);
    })
    .sort(by(longMarker));
}
