import { isObject, type Json, type JsonObject, texts } from "../../../core/json/value.js";
import { pythonText } from "../json/python.js";
import type { DraftReference } from "../rules/type-rules.js";
import { RESOURCE_SCHEMAS } from "../schema/resource-schema.js";
import { resourceType } from "../schema/resource-types.js";
import { flawOf } from "../schema/validate.js";
import { badRequest } from "./controller-error.js";
import type { ObjectStore } from "./object-store.js";
import { dashed } from "./uuid.js";

/** Read-only members of a document. A client may send them back. */
const SERVER_MADE = new Set(["uuid", "name", "fq_name", "parent_type", "parent_uuid", "parent_href", "href"]);
const REFERENCES = /^(?!.*_back_refs$)(.+)_refs$/;

/** Returns the validated properties of a request's document. Unknown names are dropped silently, as in the controller. */
export function readProperties(type: string, body: JsonObject, verb: "create" | "http_put"): JsonObject {
  const schema = RESOURCE_SCHEMAS[type];
  const properties: JsonObject = {};
  for (const [name, value] of Object.entries(body)) {
    if (SERVER_MADE.has(name) || name.endsWith("_refs")) continue;
    const member = schema === undefined ? undefined : Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    if (member === undefined) {
      if (schema === undefined && !isListOfChildren(value)) properties[name] = value;
      continue;
    }
    const flaw = flawOf(member, value, name);
    if (flaw !== undefined) {
      const shown = isObject(value) ? `${name} value ${pythonText(value)} ` : "";
      throw badRequest(`Bad property in ${verb}: Error validating property ${shown}${flaw}`);
    }
    properties[name] = value;
  }
  return properties;
}

/** Clients that send a document back may include lists of children. They are not properties. */
function isListOfChildren(value: Json): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((each) => isObject(each) && "to" in each && "uuid" in each);
}

/** The checked references of a request's document. `unknown` is the error message for a missing target. */
export function readReferences(
  store: ObjectStore,
  type: string,
  body: JsonObject,
  verb: "create" | "http_put",
  unknown: () => string,
): Map<string, readonly DraftReference[]> {
  const references = new Map<string, readonly DraftReference[]>();
  for (const [field, value] of Object.entries(body)) {
    const target = resourceType(REFERENCES.exec(field)?.[1] ?? "");
    if (target === undefined || (value !== null && !Array.isArray(value))) continue;
    const drafts = (value ?? []).filter(isObject).map((each) => {
      const flaw = attributeFlaw(type, field, each);
      if (flaw !== undefined)
        throw badRequest(`Bad reference in ${verb}: Error validating reference ${field} value ${pythonText(each)} ${flaw}`);
      const reference = readReference(store, target, each);
      if (reference === undefined) throw badRequest(unknown());
      return reference;
    });
    references.set(field, drafts);
  }
  return references;
}

function attributeFlaw(type: string, field: string, reference: JsonObject): string | undefined {
  const attribute = RESOURCE_SCHEMAS[type]?.attributes[field];
  if (attribute === undefined) return undefined;
  return "attr" in reference ? flawOf({ type: attribute }, reference.attr ?? null, "attr") : "'attr'";
}

/** By uuid if given, otherwise by name. */
function readReference(store: ObjectStore, type: string, given: JsonObject): DraftReference | undefined {
  const uuid = typeof given.uuid === "string" ? dashed(given.uuid) : undefined;
  const name = texts(given.to);
  const object = uuid !== undefined ? store.get(uuid) : name === undefined ? undefined : store.named(type, name);
  if (object === undefined || object.type !== type) return undefined;
  return { type, uuid: object.uuid, attr: given.attr ?? null, byUuid: uuid !== undefined };
}
