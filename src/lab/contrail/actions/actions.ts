import { isObject, type JsonObject, objectsAt, textAt, texts } from "../../../core/json/value.js";
import { AAA_MODES } from "../access/token.js";
import { bodyOf, type Call } from "../http/call.js";
import { type ContrailReply, json, NOTHING } from "../http/reply.js";
import { pythonText } from "../json/python.js";
import { listObjects } from "../lists/list-objects.js";
import { bodyMembers, readListQuery } from "../lists/list-query.js";
import { resourceType } from "../schema/resource-types.js";
import { badRequest, ControllerError } from "../world/controller-error.js";
import { mayAccess, requireAccess } from "../world/permissions.js";
import { propertyCollectionGet, propertyCollectionUpdate } from "./property-collections.js";

export type Action = (call: Call) => ContrailReply;

/** Calls that are not about a single object, by method and path. */
export const ACTIONS: Readonly<Record<string, Action>> = {
  "POST /fqname-to-id": nameToId,
  "POST /id-to-fqname": idToName,
  "POST /ref-update": referenceUpdate,
  "POST /list-bulk-collection": listBulk,
  "POST /useragent-kv": keyValue,
  "GET /prop-collection-get": propertyCollectionGet,
  "POST /prop-collection-update": propertyCollectionUpdate,
  "GET /aaa-mode": ({ gate }) => json({ "aaa-mode": gate.mode }),
  "PUT /aaa-mode": setAaaMode,
  "GET /obj-perms": objectPermissions,
  "POST /chmod": changeMode,
  "POST /db-check": () => json({ results: [] }),
};

function typeOf(body: JsonObject): string {
  const name = textAt(body, "type") ?? "";
  const type = resourceType(name);
  if (type === undefined) throw new ControllerError(404, `Resource type '${name}' not found`);
  return type;
}

function nameToId({ world, request }: Call): ContrailReply {
  const body = bodyOf(request);
  const type = typeOf(body);
  const fqName = texts(body.fq_name) ?? [];
  const object = world.store.named(type, fqName);
  if (object === undefined) throw new ControllerError(404, `Name ${pythonText(fqName)} not found`);
  return json({ uuid: object.uuid });
}

function idToName({ world, request }: Call): ContrailReply {
  const uuid = textAt(bodyOf(request), "uuid") ?? "";
  const object = world.store.get(uuid);
  if (object === undefined) throw new ControllerError(404, `UUID ${uuid} not found`);
  return json({ fq_name: [...object.fqName], type: object.type });
}

function referenceUpdate({ world, caller, request }: Call): ContrailReply {
  const body = bodyOf(request);
  const uuid = textAt(body, "uuid") ?? "";
  const object = world.store.get(uuid);
  if (object !== undefined) requireAccess(object, caller, "W");
  world.updateReference({
    type: textAt(body, "type") ?? "",
    uuid,
    referenceType: textAt(body, "ref-type") ?? "",
    referenceUuid: textAt(body, "ref-uuid"),
    referenceName: texts(body["ref-fq-name"]),
    operation: textAt(body, "operation") ?? "",
    attr: body.attr ?? null,
  });
  return json({ uuid });
}

/** The response of a list by GET, for more ids than a URL can contain. */
function listBulk({ world, caller, request }: Call): ContrailReply {
  const body = bodyOf(request);
  return json(listObjects(world, typeOf(body), readListQuery(bodyMembers(body)), caller, request.base));
}

/** The key-value table for clients. A null key retrieves all entries. */
function keyValue({ world, request }: Call): ContrailReply {
  const body = bodyOf(request);
  if (!("key" in body)) throw badRequest("Error: Key/value store API needs 'key' parameter");
  const { operation, key, value } = body;
  if (operation === "STORE" && typeof key === "string") {
    world.keyValues.set(key, typeof value === "string" ? value : "");
    return NOTHING;
  }
  if (operation === "DELETE" && typeof key === "string") {
    world.keyValues.delete(key);
    return NOTHING;
  }
  if (operation !== "RETRIEVE") throw new ControllerError(404, `Invalid Operation ${String(operation ?? "")}`);
  if (key === null) return json({ value: [...world.keyValues].map(([each, stored]) => ({ key: each, value: stored })) });
  const stored = world.keyValues.get(String(key));
  if (stored === undefined) throw new ControllerError(404, `Unknown User-Agent key ${String(key)}`);
  return json({ value: stored });
}

function setAaaMode({ gate, request }: Call): ContrailReply {
  const wanted = bodyOf(request)["aaa-mode"];
  const mode = AAA_MODES.find((each) => each === wanted);
  if (mode === undefined) throw badRequest(`Invalid aaa-mode ${String(wanted)}`);
  gate.mode = mode;
  return json({ "aaa-mode": mode });
}

function objectPermissions({ world, caller, request }: Call): ContrailReply {
  const object = world.store.get(request.query.get("uuid") ?? "");
  if (object === undefined) throw new ControllerError(404, `Id ${request.query.get("uuid") ?? ""} not found`);
  const granted = (["R", "W", "X"] as const).filter((kind) => mayAccess(object, caller, kind)).join("");
  return json({
    token_info: null,
    is_cloud_admin_role: caller.authenticated && caller.admin,
    is_global_read_only_role: false,
    permissions: granted,
  });
}

const MODE_FIELDS = ["owner_access", "global_access", "share"];

function changeMode({ world, caller, request }: Call): ContrailReply {
  const body = bodyOf(request);
  const uuid = textAt(body, "uuid") ?? "";
  const object = world.store.get(uuid);
  if (object === undefined) throw new ControllerError(404, `Id ${uuid} not found`);
  requireAccess(object, caller, "W");
  const { perms2 } = object.properties;
  const modes = MODE_FIELDS.filter((field) => field in body).map((field) => [
    field,
    field === "share" ? objectsAt(body, field) : (body[field] ?? null),
  ]);
  world.update(object.type, uuid, { perms2: { ...(isObject(perms2) ? perms2 : {}), ...Object.fromEntries(modes) } });
  return json({});
}
