import { type JsonObject, objectAt } from "../../../core/json/value.js";
import { listObjects } from "../lists/list-objects.js";
import { readListQuery } from "../lists/list-query.js";
import { asSpecified } from "../world/as-specified.js";
import { internalError } from "../world/controller-error.js";
import { requireAccess } from "../world/permissions.js";
import { hrefOf, renderObject } from "../world/render.js";
import { nameOf } from "../world/stored-object.js";
import { bodyOf, type Call } from "./call.js";
import { type ContrailReply, json, NOT_MODIFIED, NOTHING } from "./reply.js";

/** `GET /<type>s` */
export function list({ world, caller, request }: Call, type: string): ContrailReply {
  const query = readListQuery((name) => request.query.get(name) ?? undefined);
  return json(listObjects(world, type, query, caller, request.base));
}

/** `POST /<type>s`. The reply contains only names and URLs; clients read the properties with a second request. */
export function create({ world, caller, request }: Call, type: string): ContrailReply {
  const document = documentOf(bodyOf(request), type);
  const object = world.create(type, document, caller);
  const { uuid, fqName, parent } = object;
  const { base } = request;
  return json({
    [type]: {
      name: nameOf(object),
      fq_name: [...fqName],
      uuid,
      href: hrefOf(base, object),
      ...(parent === undefined ? {} : { parent_type: parent.type }),
      ...(parent?.uuid === undefined ? {} : { parent_uuid: parent.uuid, parent_href: `${base}/${parent.type}/${parent.uuid}` }),
    },
  });
}

/** `GET /<type>/<uuid>`: with an ETag, which does not cover back references. */
export function read({ world, caller, request, networkFields }: Call, type: string, uuid: string): ContrailReply {
  const object = world.require(type, uuid);
  requireAccess(object, caller, "R");
  const etag = `"${String(objectAt(object.properties, "id_perms")?.last_modified ?? "")}"`;
  if (request.ifNoneMatch === etag) return NOT_MODIFIED;
  const { query, base } = request;
  const fields = query.get("fields");
  const view = {
    base: query.has("exclude_hrefs") ? undefined : base,
    fields: fields === null ? undefined : new Set(fields.split(",")),
    children: !query.has("exclude_children"),
    backReferences: !query.has("exclude_back_refs"),
  };
  const document = renderObject(world, object, view);
  const isComplete = networkFields === "specification" && type === "virtual-network" && fields === null;
  return json({ [type]: isComplete ? asSpecified(document) : document }, { etag });
}

/** `PUT /<type>/<uuid>`. Ignores `If-Match`. A missing or empty document yields an empty response. */
export function update({ world, caller, request }: Call, type: string, uuid: string): ContrailReply {
  const body = request.body === "" ? {} : bodyOf(request);
  const object = world.require(type, uuid);
  requireAccess(object, caller, "W");
  const document = Object.keys(body).length === 0 ? {} : documentOf(body, type);
  if (world.update(type, uuid, document) === undefined) return NOTHING;
  return json({ [type]: { uuid, href: hrefOf(request.base, object) } });
}

/** `DELETE /<type>/<uuid>` */
export function remove({ world, caller }: Call, type: string, uuid: string): ContrailReply {
  const object = world.store.get(uuid);
  if (object !== undefined) requireAccess(object, caller, "W");
  world.delete(type, uuid);
  return NOTHING;
}

function documentOf(body: JsonObject, type: string): JsonObject {
  const document = objectAt(body, type);
  if (document === undefined) throw internalError();
  return document;
}
