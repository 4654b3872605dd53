import { PlumblineError } from "../../../core/errors.js";
import { isObject, type Json, type JsonObject, objectAt } from "../../../core/json/value.js";
import type { ContrailClient } from "./client.js";
import { get, query } from "./request.js";
import { type ContrailType, collectionOf } from "./types.js";

const PAGE_LIMIT = 500;
/** More pages than any real list has. */
const MOST_PAGES = 10_000;
/** Marker of the first page. The controller ignores a limit without a marker. */
const FIRST = "None";

export interface ListScope {
  /** Only children of the object with this name. */
  readonly parent?: readonly string[] | undefined;
  /** Only these fields instead of all properties and references. Fields of identity and permission are always included. */
  readonly fields?: readonly string[] | undefined;
}

/** An object of a list, without its children and back references. */
export type Listed = JsonObject;

/**
 * Returns all objects of a type that our account may see, page by page, never with one request per object. Controllers before R4.1 do not
 * support pages and return all objects in one reply. If an object is on two pages because another one was created concurrently, it is
 * returned once. The controller omits objects that the account may not read, without a warning.
 */
export async function listAll(client: ContrailClient, type: ContrailType, scope: ListScope = {}): Promise<Listed[]> {
  const collection = collectionOf(type);
  const limit = String(client.connection.pageLimit ?? PAGE_LIMIT);
  const found = new Map<string, Listed>();
  const seen = new Set<string>();
  for (let marker: string | undefined = FIRST; marker !== undefined; ) {
    if (seen.has(marker)) throw endless(client, collection, "gives the same page marker twice");
    if (seen.size === MOST_PAGES) throw endless(client, collection, `has more than ${MOST_PAGES} pages`);
    seen.add(marker);
    const reply = await client.require(
      get(
        `/${collection}${query({
          ...(scope.fields === undefined ? { detail: "True" } : { fields: scope.fields.join(",") }),
          exclude_hrefs: "1",
          parent_fq_name_str: scope.parent?.join(":"),
          page_marker: marker,
          page_limit: limit,
        })}`,
      ),
    );
    const page = reply.kind === "done" ? reply.json : {};
    const items = page[collection];
    if (!Array.isArray(items)) throw noList(client, collection);
    for (const item of items) {
      const object = unwrapped(item, type);
      if (object === undefined) throw noList(client, collection);
      found.set(object.uuid, object);
    }
    marker = typeof page.marker === "string" ? page.marker : undefined;
  }
  return [...found.values()];
}

/** With `detail`, each item is wrapped in its type. */
function unwrapped(item: Json, type: ContrailType): (Listed & { readonly uuid: string }) | undefined {
  if (!isObject(item)) return undefined;
  const inner = objectAt(item, type) ?? item;
  const { uuid } = inner;
  return typeof uuid === "string" ? { ...inner, uuid } : undefined;
}

function noList({ place }: ContrailClient, collection: string): PlumblineError {
  return new PlumblineError("controller-reply-unexpected", `${place.origin} sent a reply that is not a list of ${collection}`, {
    where: { target: place.target },
    next: "Check that the url is that of the controller's configuration interface.",
  });
}

function endless({ place }: ContrailClient, collection: string, why: string): PlumblineError {
  return new PlumblineError("controller-list-endless", `The list of ${collection} at ${place.origin} does not end: it ${why}`, {
    where: { target: place.target },
    next: "Run again. If the error persists, look for a proxy that caches replies.",
  });
}
