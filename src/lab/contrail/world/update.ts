import { copy, isObject, type Json, type JsonObject, textAt } from "../../../core/json/value.js";
import { pythonText } from "../json/python.js";
import type { DraftReference, ObjectChange } from "../rules/type-rules.js";
import { fieldName, resourceType } from "../schema/resource-types.js";
import { badRequest, ControllerError, unknownId } from "./controller-error.js";
import { changeIdPerms } from "./permissions.js";
import { readProperties, readReferences } from "./read-body.js";
import type { StoredObject } from "./stored-object.js";
import type { ContrailWorld } from "./world.js";

/** Merges a document into an object: replaces the given fields completely, removes fields with null or `[]`, and keeps the rest. */
export function updateObject(world: ContrailWorld, object: StoredObject, body: JsonObject): void {
  const perms2 = body.perms2;
  if (isObject(perms2) && textAt(perms2, "owner") === undefined) throw badRequest("owner in perms2 must be present");
  const sent = copy(body);
  const change: ObjectChange = {
    properties: readProperties(object.type, sent, "http_put"),
    references: readReferences(
      world.store,
      object.type,
      sent,
      "http_put",
      () => `Unknown reference in resource update ${fieldName(object.type)} ${pythonText(body)}.`,
    ),
  };
  applyChange(world, object, change);
}

/** Runs the rules of the type, then stores the change. */
export function applyChange(world: ContrailWorld, object: StoredObject, change: ObjectChange): void {
  const rules = world.rules(object.type);
  rules.beforeUpdate?.(world, object, change);
  for (const [name, value] of Object.entries(change.properties)) changeProperty(object, name, value);
  if (change.references.size > 0) {
    world.store.unlinkReferences(object);
    for (const [field, references] of change.references) {
      if (references.length === 0) object.references.delete(field);
      else object.references.set(field, references);
    }
    world.store.linkReferences(object);
  }
  world.touched(object);
  rules.afterUpdate?.(world, object);
}

function changeProperty(object: StoredObject, name: string, value: Json): void {
  if (name === "id_perms") {
    if (isObject(value)) changeIdPerms(object.properties.id_perms as JsonObject, value);
  } else if (value === null) delete object.properties[name];
  else if (name === "perms2" && isObject(value)) object.properties.perms2 = { ...(object.properties.perms2 as JsonObject), ...value };
  else object.properties[name] = value;
}

/** The body of `POST /ref-update`. */
export interface ReferenceUpdate {
  readonly type: string;
  readonly uuid: string;
  readonly referenceType: string;
  readonly referenceUuid: string | undefined;
  readonly referenceName: readonly string[] | undefined;
  readonly operation: string;
  readonly attr: Json;
}

/** Adding an existing reference replaces its attribute. Removing a missing one is not an error. */
export function updateReference(world: ContrailWorld, update: ReferenceUpdate): StoredObject {
  const type = resourceType(update.type);
  if (type === undefined) throw new ControllerError(404, `Resource type '${update.type}' not found`);
  const targetType = resourceType(update.referenceType);
  if (targetType === undefined) throw new ControllerError(404, `Resource type '${update.referenceType}' not found`);
  const { operation } = update;
  if (operation !== "ADD" && operation !== "DELETE") throw badRequest(`Bad Request: operation should be add or delete: ${operation}`);
  const object = world.require(type, update.uuid);
  const target = targetOf(world, targetType, update);
  const field = `${fieldName(targetType)}_refs`;
  const others = (object.references.get(field) ?? []).filter(({ uuid }) => uuid !== target?.uuid);
  const kept: DraftReference[] = others.map((each) => ({ ...each, attr: copy(each.attr), byUuid: true }));
  if (operation === "ADD") {
    if (target === undefined) throw unknownId(update.referenceUuid ?? "");
    kept.push({ type: targetType, uuid: target.uuid, attr: copy(update.attr), byUuid: true });
  }
  applyChange(world, object, { properties: {}, references: new Map([[field, kept]]) });
  return object;
}

function targetOf(
  world: ContrailWorld,
  type: string,
  { operation, referenceUuid, referenceName }: ReferenceUpdate,
): StoredObject | undefined {
  if (referenceUuid !== undefined) return world.store.get(referenceUuid);
  const target = referenceName === undefined ? undefined : world.store.named(type, referenceName);
  if (target === undefined && operation === "ADD")
    throw new ControllerError(404, `Name ${pythonText([...(referenceName ?? [])])} not found`);
  return target;
}
