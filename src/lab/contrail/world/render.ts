import type { Json, JsonObject } from "../../../core/json/value.js";
import { collectionOf, fieldName } from "../schema/resource-types.js";
import { nameOf, type StoredObject } from "./stored-object.js";
import type { ContrailWorld } from "./world.js";

/** Parts of an object in a response. */
export interface View {
  /** Start of URLs, `http://host:8082`. Undefined omits all URLs. */
  readonly base: string | undefined;
  /** Selects fields. Some fields are always included. Default: all. */
  readonly fields?: ReadonlySet<string> | undefined;
  readonly children: boolean;
  readonly backReferences: boolean;
}

/** Returns the URL of an object. The client chooses the host with its `Host` header. */
export function hrefOf(base: string, { type, uuid }: Pick<StoredObject, "type" | "uuid">): string {
  return `${base}/${type}/${uuid}`;
}

/** Renders an object for a single read. */
export function renderObject(world: ContrailWorld, object: StoredObject, view: View): JsonObject {
  const { properties, parent, uuid, fqName } = object;
  const document: JsonObject = { uuid, name: nameOf(object), fq_name: [...fqName] };
  const wanted = (field: string): boolean => view.fields === undefined || view.fields.has(field);
  for (const [name, value] of Object.entries(properties)) {
    if (wanted(name) || name === "id_perms" || name === "perms2") document[name] = value;
  }
  if (parent !== undefined) document.parent_type = parent.type;
  if (parent?.uuid !== undefined) document.parent_uuid = parent.uuid;
  addReferences(world, object, document, wanted, view.base);
  addRelatives(world, object, document, view);
  if (view.base !== undefined) {
    document.href = hrefOf(view.base, object);
    if (parent?.uuid !== undefined) document.parent_href = `${view.base}/${parent.type}/${parent.uuid}`;
  }
  return document;
}

function addReferences(
  world: ContrailWorld,
  { references }: StoredObject,
  document: JsonObject,
  wanted: (field: string) => boolean,
  base: string | undefined,
): void {
  for (const [field, list] of references) {
    if (!wanted(field)) continue;
    document[field] = list.map((each) => ({
      to: [...(world.store.get(each.uuid)?.fqName ?? [])],
      attr: each.attr,
      uuid: each.uuid,
      ...(base === undefined ? {} : { href: hrefOf(base, each) }),
    }));
  }
}

function addRelatives(world: ContrailWorld, object: StoredObject, document: JsonObject, view: View): void {
  const named = (field: string, shown: boolean): boolean => (view.fields === undefined ? shown : view.fields.has(field));
  for (const [type, children] of world.store.childrenOf(object.uuid)) {
    const field = collectionOf(fieldName(type));
    if (named(field, view.children)) document[field] = [...children].map((child) => relative(child, view.base));
  }
  for (const [type, referrers] of world.store.referrersOf(object.uuid)) {
    const field = `${fieldName(type)}_back_refs`;
    if (!named(field, view.backReferences)) continue;
    document[field] = [...referrers].map((referrer) => ({ ...relative(referrer, view.base), attr: attributeTo(referrer, object.uuid) }));
  }
}

function relative(object: StoredObject, base: string | undefined): JsonObject {
  return { to: [...object.fqName], uuid: object.uuid, ...(base === undefined ? {} : { href: hrefOf(base, object) }) };
}

function attributeTo({ references }: StoredObject, uuid: string): Json {
  for (const list of references.values()) for (const reference of list) if (reference.uuid === uuid) return reference.attr;
  return null;
}

/** Renders an object for a list: a summary, selected fields, or with `detail` every property and reference. */
export function renderListed(
  world: ContrailWorld,
  object: StoredObject,
  base: string | undefined,
  { fields, detail }: { readonly fields: ReadonlySet<string> | undefined; readonly detail: boolean },
): JsonObject {
  const { uuid, fqName, parent, properties } = object;
  const item: JsonObject = { uuid, fq_name: [...fqName] };
  if (base !== undefined) item.href = hrefOf(base, object);
  if (fields === undefined && !detail) return item;
  if (parent !== undefined) item.parent_type = parent.type;
  if (parent?.uuid !== undefined) item.parent_uuid = parent.uuid;
  const wanted = (field: string): boolean => detail || fields?.has(field) === true;
  for (const [name, value] of Object.entries(properties)) if (wanted(name)) item[name] = value;
  addReferences(world, object, item, wanted, undefined);
  addRelatives(world, object, item, { base: undefined, fields: fields ?? new Set(), children: false, backReferences: false });
  if (detail) item.name = nameOf(object);
  return item;
}
