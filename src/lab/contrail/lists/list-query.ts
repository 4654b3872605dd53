import { type Json, type JsonObject, texts } from "../../../core/json/value.js";
import { badRequest } from "../world/controller-error.js";
import { isUuid } from "../world/uuid.js";
import { type Filters, parseFilters } from "./filters.js";

/** Parameters of a list. Undefined: not given. */
export interface ListQuery {
  readonly parentIds: readonly string[] | undefined;
  readonly parentName: readonly string[] | undefined;
  readonly parentType: string | undefined;
  readonly uuids: readonly string[] | undefined;
  readonly names: readonly string[] | undefined;
  readonly backReferenceIds: readonly string[] | undefined;
  readonly fields: ReadonlySet<string> | undefined;
  readonly detail: boolean;
  readonly count: boolean;
  readonly shared: boolean;
  readonly filters: Filters;
  readonly hrefs: boolean;
  readonly page: { readonly marker: string | undefined; readonly limit: number } | undefined;
}

/** Reads the parameters of `GET /<type>s` or the members of `POST /list-bulk-collection`. */
export function readListQuery(value: (name: string) => Json | undefined): ListQuery {
  return {
    parentIds: list(value("parent_id")),
    parentName: plain(value("parent_fq_name_str"))?.split(":"),
    parentType: plain(value("parent_type")),
    uuids: list(value("obj_uuids")),
    names: list(value("fq_names")),
    backReferenceIds: list(value("back_ref_id")),
    fields: setOf(value("fields")),
    detail: isTrue(value("detail")),
    count: isTrue(value("count")),
    shared: isTrue(value("shared")),
    filters: parseFilters(plain(value("filters"))),
    hrefs: value("exclude_hrefs") === undefined,
    page: readPage(plain(value("page_marker")), plain(value("page_limit"))),
  };
}

/** Returns a reader for the members of a body. */
export function bodyMembers(body: JsonObject): (name: string) => Json | undefined {
  return (name) => body[name] ?? undefined;
}

function plain(value: Json | undefined): string | undefined {
  return value === undefined || value === null ? undefined : String(value);
}

function list(value: Json | undefined): string[] | undefined {
  return texts(value) ?? plain(value)?.split(",");
}

function setOf(value: Json | undefined): Set<string> | undefined {
  const names = list(value);
  return names === undefined ? undefined : new Set(names);
}

/** Any text that contains `true` is true, in upper or lower case. */
function isTrue(value: Json | undefined): boolean {
  return plain(value)?.toLowerCase().includes("true") === true;
}

/** A limit without a marker is validated, then ignored. The marker of the first page is `None`. */
function readPage(marker: string | undefined, limit: string | undefined): ListQuery["page"] {
  if (limit !== undefined && !/^\d+$/.test(limit))
    throw badRequest(`Invalid page_limit ${limit}: invalid literal for int() with base 10: '${limit}'`);
  if (limit !== undefined && Number(limit) === 0) throw badRequest(`Invalid page_limit ${limit}: page_limit has to be greater than zero`);
  if (marker === undefined) return undefined;
  if (marker !== "None" && !isUuid(marker.split(":").at(-1) ?? "")) {
    throw badRequest(`Invalid page_marker ${marker}: badly formed hexadecimal UUID string`);
  }
  return { marker: marker === "None" ? undefined : marker, limit: limit === undefined ? Number.POSITIVE_INFINITY : Number(limit) };
}
