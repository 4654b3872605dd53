import { copy, type JsonObject, objectAt, textAt, texts } from "../../../core/json/value.js";
import type { Caller } from "../access/caller.js";
import { pythonText } from "../json/python.js";
import type { Draft } from "../rules/type-rules.js";
import { RESOURCE_SCHEMAS } from "../schema/resource-schema.js";
import { fieldName } from "../schema/resource-types.js";
import { badRequest, ControllerError, internalError, quotaExceeded } from "./controller-error.js";
import { newIdPerms, newPerms2, requireAccess } from "./permissions.js";
import { readProperties, readReferences } from "./read-body.js";
import type { StoredObject } from "./stored-object.js";
import { dashed, isUuid, uuidHalves } from "./uuid.js";
import type { ContrailWorld } from "./world.js";

/** Validates a document and stores its object. */
export function createObject(world: ContrailWorld, type: string, body: JsonObject, caller: Caller): StoredObject {
  const fqName = readName(body);
  const properties = readProperties(type, copy(body), "create");
  const given = readUuid(body);
  const { parentType, parent } = readParent(world, type, body, fqName);
  if (parent !== undefined) requireAccess(parent, caller, "W");
  refuseDuplicate(world, type, fqName, given);
  const uuid = given ?? world.newUuid();
  properties.id_perms = newIdPerms(objectAt(body, "id_perms"));
  properties.perms2 = newPerms2(objectAt(body, "perms2"), type, uuid, parent, caller);
  properties.display_name ??= fqName.at(-1) ?? "";
  const references = readReferences(world.store, type, copy(body), "create", () => unknownReference(body, properties, parent));
  checkQuota(world, type, parent);
  const draft: Draft = { type, uuid, fqName, parent, properties, references };
  const rules = world.rules(type);
  rules.beforeCreate?.(world, draft);
  const object = store(world, draft, parentType);
  rules.afterCreate?.(world, object, caller);
  return object;
}

function store(
  world: ContrailWorld,
  { type, uuid, fqName, parent, properties, references }: Draft,
  parentType: string | undefined,
): StoredObject {
  const object: StoredObject = {
    type,
    uuid,
    fqName,
    parent: parentType === undefined ? undefined : { type: parentType, uuid: parent?.uuid },
    properties: Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== null)),
    references: new Map([...references].filter(([, list]) => list.length > 0)),
  };
  const perms = object.properties.id_perms as JsonObject;
  perms.uuid = uuidHalves(uuid);
  perms.created = world.timestamps.next();
  perms.last_modified = perms.created;
  world.store.add(object);
  if (parent !== undefined) world.touched(parent);
  return object;
}

function readName(body: JsonObject): string[] {
  const fqName = texts(body.fq_name);
  if (fqName === undefined || fqName.length === 0) throw badRequest("Bad Request, no fq_name in POST body");
  if (fqName.at(-1)?.includes(":") === true) throw badRequest("Bad Request, name has one of invalid chars {':'}");
  return fqName;
}

/** Null means absent, because the Python client sends it. */
function readUuid({ uuid }: JsonObject): string | undefined {
  if (uuid === undefined || uuid === null) return undefined;
  if (typeof uuid !== "string" || !isUuid(uuid)) throw internalError();
  return dashed(uuid);
}

/** The parent's type is optional if only one is possible. */
function readParent(world: ContrailWorld, type: string, body: JsonObject, fqName: readonly string[]) {
  const possible = RESOURCE_SCHEMAS[type]?.parents ?? [];
  const parentType = textAt(body, "parent_type") ?? (possible.length === 1 ? possible[0] : undefined);
  if (parentType === undefined || parentType === "config-root") return { parentType, parent: undefined };
  const name = fqName.slice(0, -1);
  const parent = world.store.named(parentType, name);
  if (parent === undefined) throw new ControllerError(404, `Name${pythonText(name)} not found`);
  return { parentType, parent };
}

function refuseDuplicate(world: ContrailWorld, type: string, fqName: readonly string[], uuid: string | undefined): void {
  const duplicate = world.store.named(type, fqName);
  if (duplicate !== undefined) throw new ControllerError(409, `${pythonText([...fqName])} already exists with uuid: ${duplicate.uuid}`);
  const same = uuid === undefined ? undefined : world.store.get(uuid);
  if (same !== undefined) throw new ControllerError(409, `${same.uuid} already exists with fq_name: ${pythonText([...same.fqName])}`);
}

function unknownReference(body: JsonObject, { id_perms, perms2, display_name }: JsonObject, parent: StoredObject | undefined): string {
  const completed: JsonObject = { ...body, id_perms: id_perms ?? null, perms2: perms2 ?? null, display_name: display_name ?? null };
  if (parent !== undefined) completed.parent_uuid = parent.uuid;
  return `Unknown reference in resource create ${pythonText(completed)}.`;
}

/** A project's `quota` limits its children by type. A negative or missing value means no limit. */
function checkQuota(world: ContrailWorld, type: string, parent: StoredObject | undefined): void {
  if (parent?.type !== "project") return;
  const quota = objectAt(parent.properties, "quota") ?? {};
  const limit = quota[fieldName(type)] ?? quota.defaults;
  if (typeof limit !== "number" || limit < 0) return;
  if ((world.store.childrenOf(parent.uuid).get(type)?.size ?? 0) >= limit) throw quotaExceeded(limit, fieldName(type));
}
