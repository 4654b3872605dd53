import { authenticated } from "../authenticated.js";
import { challenge, json, plain, type ServiceReply } from "../http/reply.js";
import type { AuthenticatedRequest, ServiceRequest } from "../http/request.js";
import type { LabCore } from "../lab-core.js";
import { refusal } from "../refusal.js";
import type { JsonObject } from "../world/json.js";
import { isAdmin } from "../world/requester.js";
import { ServiceError } from "../world/service-error.js";
import type { Image, ImageStore } from "./images.js";

const VERSIONS = ["v2.15", "v2.9", "v2.7", "v2.6", "v2.5", "v2.4", "v2.3", "v2.2", "v2.1", "v2.0"];
const DEFAULT_LIMIT = 25;
const MAXIMUM_LIMIT = 1000;
const SORT_KEYS = ["name", "status", "container_format", "disk_format", "size", "id", "created_at", "updated_at"];
const VISIBILITIES = ["public", "private", "shared", "community", "all"];
/** Parameters that are not compared with a field. Glance compares all others with a property of the image. */
const OPTIONS = new Set(
  "name status visibility owner id tag limit marker sort sort_key sort_dir member_status os_hidden size_min size_max".split(" "),
);
const UNVERIFIED =
  "This server could not verify that you are authorized to access the document you requested. Either you supplied the wrong credentials (e.g., bad password), or your browser does not understand how to supply the credentials required.";

/** The image service v2: lists and single reads. */
export function handleImage(core: LabCore, request: ServiceRequest): ServiceReply {
  const [version, collection, id, ...rest] = request.path;
  if (version === undefined || (version === "versions" && collection === undefined)) return versions(request);
  const known = authenticated(core, request);
  if (known === undefined) {
    return { ...plain(401, `401 Unauthorized\n\n${UNVERIFIED}\n\n   `), headers: challenge(core.urls.identity), message: UNVERIFIED };
  }
  if (version !== "v2" || collection !== "images" || rest.length > 0) {
    return plain(404, "404 Not Found\n\nThe resource could not be found.\n\n   ");
  }
  if (request.method !== "GET") return refusal("image", 405, "Method Not Allowed", "The method is not allowed.");
  try {
    return id === undefined ? list(core.world.images, known) : json(200, view(find(core.world.images, known, id, 404)));
  } catch (error) {
    if (error instanceof ServiceError) return refusal("image", error.status, error.type, error.message);
    throw error;
  }
}

function versions({ linkBase }: ServiceRequest): ServiceReply {
  const values = VERSIONS.map((id, index) => ({
    id,
    status: index === 0 ? "CURRENT" : "SUPPORTED",
    links: [{ rel: "self", href: `${linkBase}/v2/` }],
  }));
  return json(300, { versions: values });
}

/** A full page has a link to the next one, even if no objects follow. Links are paths. */
function list(images: ImageStore, request: AuthenticatedRequest): ServiceReply {
  const { query, requester } = request;
  refuseQuery(query);
  const named = ["name", "status", "visibility", "owner", "id"].filter((name) => query.has(name));
  const all = images
    .visible(requester.projectId, isAdmin(requester))
    .filter((image) => named.every((name) => matches(image[name as keyof Image], query.get(name) ?? "")))
    .filter((image) => query.getAll("tag").every((tag) => image.tags.includes(tag)))
    .filter((image) => [...query].every(([name, value]) => OPTIONS.has(name) || String(image[name as keyof Image]) === value));
  const marker = query.get("marker");
  const start = marker === null ? 0 : all.indexOf(find(images, request, marker, 400)) + 1;
  const limit = Math.min(query.has("limit") ? Number(query.get("limit")) : DEFAULT_LIMIT, MAXIMUM_LIMIT);
  const shown = all.slice(start, start + limit);
  const isFull = shown.length === limit && limit > 0;
  const next = new URLSearchParams([...query].filter(([name]) => name !== "marker"));
  next.append("marker", shown.at(-1)?.id ?? "");
  const first = new URLSearchParams([...query].filter(([name]) => name !== "marker"));
  return json(200, {
    images: shown.map(view),
    first: `/v2/images${first.size === 0 ? "" : `?${first}`}`,
    ...(isFull ? { next: `/v2/images?${next}` } : {}),
    schema: "/v2/schemas/images",
  });
}

function refuseQuery(query: URLSearchParams): void {
  const badRequest = (message: string) => new ServiceError(400, "Bad Request", message);
  const limit = query.get("limit");
  if (limit !== null && !/^\d+$/.test(limit)) throw badRequest("limit param must be an integer");
  const direction = query.get("sort_dir");
  if (direction !== null && direction !== "asc" && direction !== "desc")
    throw badRequest(`Invalid sort direction: ${direction}. It must be one of the following: asc, desc.`);
  const key = query.get("sort_key");
  if (key !== null && !SORT_KEYS.includes(key))
    throw badRequest(`Invalid sort key: ${key}. It must be one of the following: ${SORT_KEYS.join(", ")}.`);
  const visibility = query.get("visibility");
  if (visibility !== null && !VISIBILITIES.includes(visibility)) throw badRequest(`Invalid visibility value: ${visibility}`);
}

function matches(value: unknown, wanted: string): boolean {
  return wanted.startsWith("in:") ? wanted.slice(3).split(",").includes(String(value)) : String(value) === wanted;
}

function find(images: ImageStore, { requester }: AuthenticatedRequest, id: string, status: 400 | 404): Image {
  const image = images.get(id, requester.projectId, isAdmin(requester));
  if (image !== undefined) return image;
  throw new ServiceError(status, status === 404 ? "Not Found" : "Bad Request", `No image found with ID ${id}`);
}

function view(image: Image): JsonObject {
  const self = `/v2/images/${image.id}`;
  return { ...image, tags: [...image.tags], self, file: `${self}/file`, schema: "/v2/schemas/image" };
}
