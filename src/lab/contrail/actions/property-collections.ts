import { copy, isObject, type Json, type JsonObject, objectsAt, textAt } from "../../../core/json/value.js";
import { bodyOf, type Call } from "../http/call.js";
import { type ContrailReply, json, NOTHING } from "../http/reply.js";
import { badRequest, ControllerError, internalError } from "../world/controller-error.js";
import { requireAccess } from "../world/permissions.js";
import type { StoredObject } from "../world/stored-object.js";

/** Properties with maps: the member with the items, and the key of an item. */
const MAPS: Readonly<Record<string, { readonly wrapper: string; readonly key: string }>> = {
  annotations: { wrapper: "key_value_pair", key: "key" },
  virtual_machine_interface_bindings: { wrapper: "key_value_pair", key: "key" },
};
/** Properties that are lists. The position of an item is its index. */
const LISTS: Readonly<Record<string, string>> = { virtual_machine_interface_fat_flow_protocols: "fat_flow_protocol" };

/** `GET /prop-collection-get?uuid=…&fields=…`: pairs of item and position. */
export function propertyCollectionGet({ world, caller, request }: Call): ContrailReply {
  const object = found(world.store.get(request.query.get("uuid") ?? ""), request.query.get("uuid") ?? "");
  requireAccess(object, caller, "R");
  const answer: JsonObject = {};
  for (const field of (request.query.get("fields") ?? "").split(",")) {
    const { wrapper, key } = shapeOf(field);
    const items = objectsAt(itemsHolder(object, field), wrapper);
    answer[field] = items.map((item, index): Json => [item, key === undefined ? String(index) : (item[key] ?? null)]);
  }
  return json(answer);
}

/** `POST /prop-collection-update`: changes single items of maps and lists, so that other items are not lost. */
export function propertyCollectionUpdate({ world, caller, request }: Call): ContrailReply {
  const body = bodyOf(request);
  const uuid = textAt(body, "uuid") ?? "";
  const object = found(world.store.get(uuid), uuid);
  requireAccess(object, caller, "W");
  const changed: JsonObject = {};
  for (const update of objectsAt(body, "updates")) {
    const field = textAt(update, "field") ?? "";
    const { wrapper } = shapeOf(field);
    const before = isObject(changed[field]) ? changed[field] : itemsHolder(object, field);
    changed[field] = { [wrapper]: edited(objectsAt(before, wrapper), field, update) };
  }
  world.update(object.type, uuid, changed);
  // The router's hook after a write reads a uuid that this call does not pass.
  if (object.type === "logical-router") throw internalError("KeyError: 'uuid'");
  return NOTHING;
}

function edited(items: readonly JsonObject[], field: string, update: JsonObject): JsonObject[] {
  const { key } = shapeOf(field);
  const operation = textAt(update, "operation");
  const { value = null, position = null } = update;
  const at =
    key === undefined ? Number(position) : items.findIndex((item) => item[key] === (position ?? (isObject(value) ? value[key] : null)));
  const rest = items.filter((_, index) => index !== at);
  if (operation === "delete") return rest;
  if (!isObject(value)) throw badRequest(`Bad Request: value of ${field} is missing`);
  if (operation === (key === undefined ? "modify" : "set"))
    return at < 0 ? [...items, value] : items.map((item, index) => (index === at ? value : item));
  if (operation === "add" && key === undefined) return [...items, value];
  throw badRequest(`Bad Request: operation ${operation ?? ""} is not one of ${field}`);
}

function shapeOf(field: string): { wrapper: string; key: string | undefined } {
  const map = Object.hasOwn(MAPS, field) ? MAPS[field] : undefined;
  const list = Object.hasOwn(LISTS, field) ? LISTS[field] : undefined;
  if (map === undefined && list === undefined) throw badRequest(`Unknown or non-collection property ${field}`);
  return { wrapper: map?.wrapper ?? list ?? "", key: map?.key };
}

function itemsHolder({ properties }: StoredObject, field: string): JsonObject {
  const value = properties[field];
  return isObject(value) ? copy(value) : {};
}

function found(object: StoredObject | undefined, uuid: string): StoredObject {
  if (object === undefined) throw new ControllerError(404, `Object Not Found: ${uuid}`);
  return object;
}
