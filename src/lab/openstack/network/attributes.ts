import { isObject, type Json, type JsonObject } from "../world/json.js";
import { isAdmin, type Requester } from "../world/requester.js";
import { ServiceError } from "../world/service-error.js";
import { anything, type Check, flag, integer, listOf, text, uuid } from "./checks.js";
import { badRequest, disallowed } from "./errors.js";

/** Definition of an attribute. An attribute with neither `post` nor `put` is read-only. */
export interface Attribute {
  readonly check?: Check;
  readonly post?: boolean;
  readonly put?: boolean;
  readonly required?: boolean;
  /** Default value for a create. */
  readonly fallback?: Json;
  /** Only administrators may set it. */
  readonly admin?: boolean;
  /** Only administrators may change it. */
  readonly adminChanges?: boolean;
  /** Only administrators may see it. */
  readonly adminSees?: boolean;
}

export type Attributes = Readonly<Record<string, Attribute>>;

const shown: Attribute = {};

export const STANDARD: Attributes = {
  id: shown,
  name: { check: text, post: true, put: true, fallback: "" },
  description: { check: text, post: true, put: true, fallback: "" },
  tenant_id: { check: text, post: true },
  project_id: { check: text, post: true },
  tags: { check: anything },
  created_at: shown,
  updated_at: shown,
  revision_number: { check: integer },
};

export const adminState: Attribute = { check: flag, post: true, put: true, fallback: true };
/** The lab has no availability zones, so each hint is unknown. */
const zoneHints: Check = (value, name) => {
  const hints = listOf(text)(value, name) as string[];
  const [unknown] = hints;
  if (unknown === undefined) return hints;
  throw new ServiceError(404, "AvailabilityZoneNotFound", `AvailabilityZone ${unknown} could not be found.`);
};

/** An attribute that refers to a kind of object that the lab does not have. */
export function noneOf(type: string, kind: string): Attribute {
  const check: Check = (value, name) => {
    if (value === null) return null;
    const id = uuid(value, name);
    throw new ServiceError(404, type, `${kind} ${String(id)} could not be found.`);
  };
  return { check, post: true, put: true };
}

export const zones: Attribute = { check: zoneHints, post: true, fallback: [] };

/** Returns the attributes of a create request: validated, converted and with defaults. The project is only in `project_id`. */
export function readCreate(kind: string, attributes: Attributes, body: unknown, requester: Requester): JsonObject {
  const given = unwrap(kind, body);
  return readOne(kind, attributes, given, requester);
}

/** Reads one object, or several if the plural is the wrapper. */
export function readCreates(
  kind: string,
  plural: string,
  attributes: Attributes,
  body: unknown,
  requester: Requester,
): JsonObject[] | JsonObject {
  const several = isObject(body) ? body[plural] : undefined;
  if (several === undefined) return readCreate(kind, attributes, body, requester);
  if (!Array.isArray(several) || several.length === 0) throw badRequest("Resources required");
  return several.map((each) =>
    readOne(kind, attributes, isObject(each) && isObject(each[kind]) ? (each[kind] as JsonObject) : each, requester),
  );
}

export function readUpdate(kind: string, attributes: Attributes, body: unknown, requester: Requester): JsonObject {
  const given = unwrap(kind, body);
  const unknown = unknownNames(attributes, given);
  if (unknown !== undefined) throw unknown;
  const fixed = Object.keys(given).find((name) => attributes[name]?.put !== true);
  if (fixed !== undefined) throw badRequest(`Cannot update read-only attribute ${fixed}`);
  authorize("update", kind, attributes, given, requester);
  return checked(attributes, given);
}

function readOne(kind: string, attributes: Attributes, given: unknown, requester: Requester): JsonObject {
  if (!isObject(given)) throw badRequest(`Unable to find '${kind}' in request body`);
  const project = given.project_id ?? given.tenant_id ?? requester.projectId;
  if (project === undefined) throw badRequest("Running without keystone AuthN requires that tenant_id is specified");
  if (project !== requester.projectId && !isAdmin(requester)) {
    throw badRequest(
      "Specifying 'project_id' or 'tenant_id' other than the authenticated project in request requires admin or advsvc privileges",
    );
  }
  const unknown = unknownNames(attributes, given);
  if (unknown !== undefined) throw unknown;
  const fixed = Object.keys(given).find((name) => attributes[name]?.post !== true);
  if (fixed !== undefined) throw badRequest(`Attribute '${fixed}' not allowed in POST`);
  const missing = Object.entries(attributes).find(([name, { required }]) => required === true && given[name] === undefined);
  if (missing !== undefined) throw badRequest(`Failed to parse request. Required attribute '${missing[0]}' not specified`);
  const values = checked(attributes, given);
  for (const [name, { fallback }] of Object.entries(attributes)) {
    if (fallback !== undefined) values[name] ??= name in given ? null : structuredClone(fallback);
  }
  authorize("create", kind, attributes, given, requester);
  delete values.tenant_id;
  return { ...values, project_id: project };
}

function unwrap(kind: string, body: unknown): JsonObject {
  const given = isObject(body) ? body[kind] : undefined;
  if (!isObject(given)) throw badRequest(`Unable to find '${kind}' in request body`);
  return given;
}

function unknownNames(attributes: Attributes, given: JsonObject): Error | undefined {
  const names = Object.keys(given).filter((name) => attributes[name] === undefined);
  return names.length === 0 ? undefined : badRequest(`Unrecognized attribute(s) '${names.join(", ")}'`);
}

function checked(attributes: Attributes, given: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, attributes[name]?.check?.(value, name) ?? value]));
}

/** Refuses an attribute that only administrators may set, unless it has its default value. */
function authorize(verb: "create" | "update", kind: string, attributes: Attributes, given: JsonObject, requester: Requester): void {
  if (isAdmin(requester)) return;
  const isClosed = ({ admin, adminChanges }: Attribute) => admin === true || (adminChanges === true && verb === "update");
  const refused = Object.keys(given).filter((name) => isClosed(attributes[name] ?? {}) && given[name] !== attributes[name]?.fallback);
  if (refused.length === 0) return;
  throw disallowed(`(${[`rule:${verb}_${kind}`, ...refused.map((name) => `rule:${verb}_${kind}:${name}`)].join(" and ")})`);
}
