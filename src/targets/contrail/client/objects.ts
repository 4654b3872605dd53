import { PlumblineError } from "../../../core/errors.js";
import { isObject, type Json, type JsonObject, objectAt, objectsAt, textAt } from "../../../core/json/value.js";
import type { ContrailClient } from "./client.js";
import { type ControllerRefusal, refusalError } from "./refusal.js";
import { get, query, repeatablePost } from "./request.js";
import { type ContrailType, collectionOf, type ReferredType } from "./types.js";

/** One object as returned by a single read. */
interface ContrailObject {
  readonly document: JsonObject;
  /** Quoted time of the last change. Undefined on controllers before R3.0. */
  readonly etag: string | undefined;
}

/** Result of a single read: the object, unchanged since `If-None-Match`, absent, or hidden from our account. */
export type ReadResult =
  | { readonly kind: "found"; readonly object: ContrailObject }
  | { readonly kind: "unchanged" }
  | { readonly kind: "absent" }
  | { readonly kind: "hidden"; readonly refusal: ControllerRefusal };

const LEAN = { exclude_hrefs: "1", exclude_children: "1", exclude_back_refs: "1" };

/** Reads one object without its children and back references, which can be thousands. */
export async function readObject(client: ContrailClient, type: ContrailType, uuid: string, ifNoneMatch?: string): Promise<ReadResult> {
  return await readWith(client, type, uuid, LEAN, ifNoneMatch);
}

/** Reads one object with its children and back references. For reports only, not for comparisons. */
export async function readWithRelatives(client: ContrailClient, type: ContrailType, uuid: string): Promise<ReadResult> {
  return await readWith(client, type, uuid, { exclude_hrefs: "1" });
}

async function readWith(
  client: ContrailClient,
  type: ContrailType,
  uuid: string,
  parameters: Readonly<Record<string, string>>,
  ifNoneMatch?: string,
): Promise<ReadResult> {
  const path = `/${type}/${uuid}`;
  const reply = await client.send(get(`${path}${query(parameters)}`, ifNoneMatch));
  if (reply.kind === "unchanged") return reply;
  if (reply.kind === "done") {
    const document = objectAt(reply.json, type);
    if (document === undefined || textAt(document, "uuid") === undefined) throw noObject(client, type);
    return { kind: "found", object: { document, etag: reply.etag } };
  }
  if (reply.refusal.reason === "not-found") return { kind: "absent" };
  if (reply.refusal.reason === "permission") return { kind: "hidden", refusal: reply.refusal };
  throw refusalError(reply.refusal, `GET ${path}`, client.place);
}

/** Creates an object. Returns the refusal if the controller refuses. Never repeats the request: a lost reply throws `reply-lost`. */
export async function createObject(
  client: ContrailClient,
  type: ContrailType,
  document: JsonObject,
): Promise<ControllerRefusal | undefined> {
  const reply = await client.send({ method: "POST", path: `/${collectionOf(type)}`, body: { [type]: document }, repeatable: false });
  return reply.kind === "refused" ? reply.refusal : undefined;
}

/** Replaces the named top-level fields completely and keeps the others. A null property and an empty list of references are removed. */
export async function updateObject(client: ContrailClient, type: ContrailType, uuid: string, fields: JsonObject): Promise<void> {
  await client.require({ method: "PUT", path: `/${type}/${uuid}`, body: { [type]: fields }, repeatable: false });
}

/** Deletes an object. A missing object is no error. Returns the refusal if another object still needs it. */
export async function deleteObject(client: ContrailClient, type: ContrailType, uuid: string): Promise<ControllerRefusal | undefined> {
  const reply = await client.send({ method: "DELETE", path: `/${type}/${uuid}`, repeatable: true });
  return reply.kind === "refused" && reply.refusal.reason !== "not-found" ? reply.refusal : undefined;
}

export interface ReferenceUpdate {
  readonly type: ContrailType;
  readonly uuid: string;
  readonly referredType: ContrailType;
  readonly referredName: readonly string[];
  /** `ADD` replaces the attribute of an existing reference. */
  readonly operation: "ADD" | "DELETE";
  readonly attr: Json;
}

/** Adds, replaces or removes one reference and keeps the others. */
export async function updateReference(client: ContrailClient, update: ReferenceUpdate): Promise<void> {
  const { type, uuid, referredType, referredName, operation, attr } = update;
  await client.require(
    repeatablePost("/ref-update", {
      type,
      uuid,
      "ref-type": referredType,
      "ref-fq-name": [...referredName],
      operation,
      attr,
    }),
  );
}

export type AnnotationUpdate =
  | { readonly operation: "set"; readonly key: string; readonly value: string }
  | { readonly operation: "delete"; readonly key: string };

/** Sets and deletes single annotations. Annotations with other keys are kept. */
export async function updateAnnotations(client: ContrailClient, uuid: string, updates: readonly AnnotationUpdate[]): Promise<void> {
  const items = updates.map((update): JsonObject => {
    const common = { field: "annotations", operation: update.operation, position: update.key };
    return update.operation === "set" ? { ...common, value: { key: update.key, value: update.value } } : common;
  });
  await client.require(repeatablePost("/prop-collection-update", { uuid, updates: items }));
}

/** Result of a search by name: the uuid, no such object, or a refusal, for example because our account may not read the object. */
export type FoundId =
  | { readonly kind: "found"; readonly uuid: string }
  | { readonly kind: "absent" }
  | { readonly kind: "refused"; readonly refusal: ControllerRefusal };

/** Searches for an object by its name. */
export async function findId(client: ContrailClient, type: string, name: readonly string[]): Promise<FoundId> {
  const reply = await client.send(repeatablePost("/fqname-to-id", { type, fq_name: [...name] }));
  if (reply.kind === "done") return { kind: "found", uuid: requireUuid(client, type, reply.json) };
  return reply.kind === "unchanged" || reply.refusal.reason === "not-found" ? { kind: "absent" } : reply;
}

/**
 * Returns the uuid of the object with this name.
 * @throws PlumblineError `controller-not-found` if it does not exist or our account may not see it.
 */
export async function idOf(client: ContrailClient, type: ReferredType, name: readonly string[]): Promise<string> {
  const reply = await client.require(repeatablePost("/fqname-to-id", { type, fq_name: [...name] }));
  return requireUuid(client, type, reply.kind === "done" ? reply.json : undefined);
}

/**
 * Returns the uuid in a successful reply to `/fqname-to-id`. A reply without one was truncated, or does not come from the controller, so it
 * does not mean that the object is missing.
 * @throws PlumblineError `controller-reply-unexpected`
 */
function requireUuid(client: ContrailClient, type: string, json: JsonObject | undefined): string {
  const uuid = json === undefined ? undefined : textAt(json, "uuid");
  if (uuid === undefined) throw noObject(client, type);
  return uuid;
}

/** Returns the names in the discovery document: object types and actions. */
export async function readLinks(client: ContrailClient): Promise<Set<string>> {
  const reply = await client.require(get("/"));
  const links = reply.kind === "done" ? objectsAt(reply.json, "links") : [];
  return new Set(links.flatMap(({ link }) => (isObject(link) ? (textAt(link, "name") ?? []) : [])));
}

/** Returns the rows of the table that the network service keeps in the controller. Empty if the controller refuses. */
export async function readNetworkServiceTable(client: ContrailClient): Promise<readonly JsonObject[]> {
  const reply = await client.send(repeatablePost("/useragent-kv", { operation: "RETRIEVE", key: null }));
  return reply.kind === "done" ? objectsAt(reply.json, "value") : [];
}

function noObject({ place }: ContrailClient, type: string): PlumblineError {
  return new PlumblineError("controller-reply-unexpected", `${place.origin} sent a reply that is not a ${type}`, {
    where: { target: place.target },
    next: "Check that the url is that of the controller's configuration interface.",
  });
}
