import { authenticated } from "../authenticated.js";
import { cut } from "../compute/page.js";
import { metadataOf } from "../compute/read-server.js";
import { empty, json, plain, type ServiceReply, unauthorizedJson } from "../http/reply.js";
import type { AuthenticatedRequest, ServiceRequest } from "../http/request.js";
import type { LabCore } from "../lab-core.js";
import { refusal } from "../refusal.js";
import { isObject, type Json, type JsonObject } from "../world/json.js";
import { isAdmin } from "../world/requester.js";
import { ServiceError } from "../world/service-error.js";
import { type BlockStorage, LIMITS, type VolumeRequest } from "./block-storage.js";
import { briefVolume, detailedVolume, instant, snapshotView, writtenVolume } from "./views.js";
import type { Volume, VolumeStatus } from "./volume.js";

const MAXIMUM = 70;
const MOST_CHARACTERS = 255;
const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const IN_USE_EXTENDED_FROM = 42;
const MESSAGES_FROM = 3;
const NOWHERE = plain(404, "404 Not Found\n\nThe resource could not be found.\n\n   ");

interface VolumeCall {
  readonly request: AuthenticatedRequest;
  readonly storage: BlockStorage;
  /** Path after the project: `["volumes", id]`. */
  readonly path: readonly string[];
  /** Start of links. */
  readonly base: string;
  readonly url: string;
  readonly minor: number;
  readonly now: number;
  readonly endsIn: VolumeStatus | undefined;
}

/** The volume service v3 with its microversions. */
export function handleVolume(core: LabCore, request: ServiceRequest, endsIn: VolumeStatus | undefined): ServiceReply {
  const [version, project, ...rest] = request.path;
  if (version === undefined || (version === "v3" && project === undefined)) return versions(request, version === undefined ? 300 : 200);
  if (version !== "v3") return NOWHERE;
  const known = authenticated(core, request);
  if (known === undefined) return unauthorizedJson(core.urls.identity);
  let headers: Readonly<Record<string, string>> = {};
  try {
    const minor = microversion(request);
    headers = { "openstack-api-version": `volume 3.${minor}`, vary: "OpenStack-API-Version" };
    const isScoped = project === known.requester.projectId;
    const path = isScoped ? rest : [project ?? "", ...rest];
    const base = `${request.linkBase}/v3${isScoped ? `/${project}` : ""}`;
    const { volumes: storage, clock } = core.world;
    const url = `${request.linkBase}${request.rawPath}`;
    const reply = answer({ request: known, storage, path, base, url, minor, now: clock.now(), endsIn }) ?? NOWHERE;
    return { ...reply, headers: { ...headers, ...reply.headers } };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const reply = refusal("volume", error.status, error.type, error.message);
    return { ...reply, headers: { ...headers, ...(error.status === 413 ? { "retry-after": "0" } : {}) } };
  }
}

function answer(call: VolumeCall): ServiceReply | undefined {
  const { request, storage, path } = call;
  const { method, requester } = request;
  const [collection, id, ...rest] = path;
  const projectId = requester.projectId ?? "";
  if (collection === "volumes") return id === undefined || id === "detail" ? volumesReply(call, id) : volumeReply(call, id, rest);
  if (collection === "snapshots") return snapshotsReply(call);
  if (collection === "os-quota-sets" && id !== undefined) return quotas(call, id);
  if (method !== "GET") return undefined;
  switch (collection) {
    case "types":
      return json(200, { volume_types: [...storage.types].map((name) => ({ id: name, name, is_public: true, description: null })) });
    case "os-availability-zone":
      return json(200, { availabilityZoneInfo: [{ zoneName: "nova", zoneState: { available: true } }] });
    case "messages":
      return call.minor < MESSAGES_FROM ? undefined : messages(call);
    case "limits": {
      const [limits, used] = [storage.limits(projectId), storage.used(projectId)];
      const absolute = {
        maxTotalVolumes: limits.volumes,
        maxTotalVolumeGigabytes: limits.gigabytes,
        maxTotalSnapshots: limits.snapshots,
        totalVolumesUsed: used.volumes,
        totalGigabytesUsed: used.gigabytes,
        totalSnapshotsUsed: used.snapshots,
      };
      return json(200, { limits: { rate: [], absolute } });
    }
    default:
      return undefined;
  }
}

function volumesReply(call: VolumeCall, detail: string | undefined): ServiceReply | undefined {
  const { request, storage, base, url } = call;
  const { method, query, requester } = request;
  if (method === "POST" && detail === undefined) {
    const made = storage.create(requester, readVolumeRequest(request.body), call.endsIn);
    return json(202, { volume: { ...writtenVolume(made, base), updated_at: null } });
  }
  if (method !== "GET") return undefined;
  const direction = query.get("sort_dir");
  if (direction !== null && direction !== "asc" && direction !== "desc")
    throw badRequest("Unknown sort direction, must be 'desc' or 'asc'.");
  const marker = query.get("marker");
  if (marker !== null && storage.find(marker) === undefined)
    throw new ServiceError(404, "itemNotFound", `Volume ${marker} could not be found.`);
  const named = ["name", "status"].filter((key) => query.has(key));
  const all = storage
    .volumes(requester.projectId, isAdmin(requester) && query.get("all_tenants") === "1")
    .filter((volume) => named.every((key) => volume[key as "name" | "status"] === query.get(key)));
  const { objects, links } = cut("volumes", all, (volume) => volume.id, query, storage.pageMaximum, url);
  return json(200, { volumes: objects.map((volume) => (detail === undefined ? briefVolume : detailedVolume)(volume, base)), ...links });
}

function volumeReply(call: VolumeCall, id: string, [part, key]: readonly string[]): ServiceReply | undefined {
  const { request, storage, base, now, endsIn } = call;
  const { method, body, requester } = request;
  const volume = storage.get(id, requester);
  if (part === "action" && method === "POST") return act(call, volume);
  if (part === "metadata") return metadata(call, volume, key);
  if (part !== undefined) return undefined;
  if (method === "DELETE") {
    storage.delete(volume, endsIn);
    return empty(202);
  }
  if (method === "PUT") {
    const { name, description, display_name = name, display_description = description, ...others } = inside(body, "volume");
    const [unknown] = Object.keys(others).filter((each) => each !== "metadata");
    if (unknown !== undefined) throw badRequest(`Additional properties are not allowed ('${unknown}' was unexpected)`);
    for (const [key, value] of Object.entries({ name: display_name, description: display_description })) refuseText(key, value);
    if (others.metadata !== undefined) volume.metadata = metadataOf(others.metadata);
    if (display_name !== undefined) volume.name = typeof display_name === "string" ? display_name : null;
    if (display_description !== undefined) volume.description = typeof display_description === "string" ? display_description : null;
    volume.updated = now;
    return json(200, { volume: writtenVolume(volume, base) });
  }
  return method === "GET" ? json(200, { volume: detailedVolume(volume, base) }) : undefined;
}

function act({ request, storage, minor, now, endsIn }: VolumeCall, volume: Volume): ServiceReply {
  const { body, requester } = request;
  const [name = ""] = isObject(body) ? Object.keys(body) : [];
  const given = inside(body, name);
  switch (name) {
    case "os-extend":
      if (!Number.isInteger(Number(given.new_size)))
        throw badRequest(`Invalid input for field/attribute new_size. Value: ${given.new_size}.`);
      storage.extend(volume, Number(given.new_size), minor >= IN_USE_EXTENDED_FROM, endsIn);
      return empty(202);
    case "os-retype":
      storage.retype(volume, String(given.new_type), endsIn);
      return empty(202);
    case "os-set_bootable":
      volume.bootable = flagOf("bootable", given.bootable);
      volume.updated = now;
      return empty(200);
    case "os-reset_status":
      if (!isAdmin(requester))
        throw new ServiceError(
          403,
          "forbidden",
          "Policy doesn't allow volume_extension:volume_admin_actions:reset_status to be performed.",
        );
      volume.due = undefined;
      volume.status = String(given.status) as VolumeStatus;
      return empty(202);
    default:
      throw badRequest(`There is no such action: ${name}`);
  }
}

function metadata({ request, now }: VolumeCall, volume: Volume, key: string | undefined): ServiceReply | undefined {
  const { method, body } = request;
  if (key !== undefined) {
    if (method !== "DELETE") return undefined;
    if (!(key in volume.metadata)) throw new ServiceError(404, "itemNotFound", `Volume ${volume.id} has no metadata with key ${key}.`);
    const { [key]: _removed, ...rest } = volume.metadata;
    volume.metadata = rest;
    volume.updated = now;
    return empty(200);
  }
  if (method === "POST" || method === "PUT") {
    const given = metadataOf(inside(body, "metadata"));
    volume.metadata = method === "POST" ? { ...volume.metadata, ...given } : given;
    volume.updated = now;
  } else if (method !== "GET") return undefined;
  return json(200, { metadata: volume.metadata });
}

function snapshotsReply({ request, storage, path, url }: VolumeCall): ServiceReply | undefined {
  const { method, body, requester, query } = request;
  const [, id] = path;
  const own = [...storage.snapshots.values()].filter(({ projectId }) => projectId === requester.projectId);
  if (method === "POST" && id === undefined) {
    const { volume_id, name, description } = inside(body, "snapshot");
    const text = typeof description === "string" ? description : null;
    return json(202, { snapshot: snapshotView(storage.snapshot(storage.get(String(volume_id), requester), String(name ?? ""), text)) });
  }
  if (method === "GET" && (id === undefined || id === "detail")) {
    const { objects, links } = cut("snapshots", own, (snapshot) => snapshot.id, query, storage.pageMaximum, url);
    return json(200, { snapshots: objects.map(snapshotView), ...links });
  }
  const found = own.find((snapshot) => snapshot.id === id);
  if (found === undefined) throw new ServiceError(404, "itemNotFound", `Snapshot ${id} could not be found.`);
  if (method === "GET") return json(200, { snapshot: snapshotView(found) });
  if (method !== "DELETE") return undefined;
  storage.snapshots.delete(found.id);
  return empty(202);
}

function quotas({ request, storage }: VolumeCall, project: string): ServiceReply | undefined {
  const { method, body, requester } = request;
  if (method === "PUT") {
    if (!isAdmin(requester))
      throw new ServiceError(403, "forbidden", "Policy doesn't allow volume_extension:quotas:update to be performed.");
    const given = Object.entries(inside(body, "quota_set")).filter(([key]) => key in LIMITS);
    storage.setLimits(project, Object.fromEntries(given.map(([key, value]) => [key, Number(value)])));
  } else if (method !== "GET") return undefined;
  return json(200, { quota_set: { id: project, ...storage.limits(project), per_volume_gigabytes: -1 } });
}

function messages({ request, storage }: VolumeCall): ServiceReply {
  const wanted = request.query.get("resource_uuid");
  const found = [...storage.messages].flatMap(([resource_uuid, user_message]) => {
    const volume = storage.find(resource_uuid);
    if (volume === undefined || volume.projectId !== request.requester.projectId || (wanted !== null && wanted !== resource_uuid))
      return [];
    return [
      {
        id: resource_uuid,
        resource_uuid,
        resource_type: "VOLUME",
        user_message,
        message_level: "ERROR",
        created_at: instant(volume.updated),
      },
    ];
  });
  return json(200, { messages: found });
}

function readVolumeRequest(body: Json | undefined): VolumeRequest {
  const given = inside(body, "volume");
  for (const key of ["name", "description"]) refuseText(key, given[key]);
  if (typeof given.snapshot_id === "string" && !UUID.test(given.snapshot_id))
    throw badRequest(`Invalid input for field/attribute snapshot_id. Value: ${given.snapshot_id}. '${given.snapshot_id}' is not a 'uuid'`);
  const text = (key: string) => (typeof given[key] === "string" && given[key] !== "" ? String(given[key]) : undefined);
  return {
    name: typeof given.name === "string" ? given.name : null,
    description: typeof given.description === "string" ? given.description : null,
    size: given.size === undefined || given.size === null ? undefined : Number(given.size),
    type: text("volume_type"),
    availabilityZone: text("availability_zone"),
    metadata: metadataOf(given.metadata ?? {}),
    imageId: text("imageRef") ?? text("image_id"),
    snapshotId: text("snapshot_id"),
    sourceId: text("source_volid"),
  };
}

const FLAGS: Readonly<Record<string, boolean>> = {
  true: true,
  "1": true,
  on: true,
  yes: true,
  false: false,
  "0": false,
  off: false,
  no: false,
};

/** Returns a flag in one of the spellings that Cinder's schema permits. */
function flagOf(name: string, value: Json | undefined): boolean {
  const flag = FLAGS[String(value).toLowerCase()];
  if (flag === undefined) throw badRequest(`Invalid input for field/attribute ${name}. Value: ${value}.`);
  return flag;
}

/** Names and descriptions are texts of at most 255 characters, or null. */
function refuseText(key: string, value: Json | undefined): void {
  if (value === undefined || value === null) return;
  if (typeof value !== "string")
    throw badRequest(`Invalid input for field/attribute ${key}. Value: ${value}. ${value} is not of type 'string'`);
  if (value.length > MOST_CHARACTERS) throw badRequest(`Invalid input for field/attribute ${key}. Value: ${value}. '${value}' is too long`);
}

function inside(body: Json | undefined, wrapper: string): JsonObject {
  const value = isObject(body) ? body[wrapper] : undefined;
  if (!isObject(value)) throw badRequest(`Invalid input for field/attribute ${wrapper}. '${wrapper}' is a required property`);
  return value;
}

function badRequest(message: string): ServiceError {
  return new ServiceError(400, "badRequest", message);
}

function microversion({ headers }: ServiceRequest): number {
  const wanted = /^volume\s+(.+)$/.exec(headers["openstack-api-version"]?.trim() ?? "")?.[1];
  if (wanted === undefined) return 0;
  if (wanted === "latest") return MAXIMUM;
  const minor = Number(/^3\.(\d+)$/.exec(wanted)?.[1] ?? Number.NaN);
  if (minor <= MAXIMUM) return minor;
  throw new ServiceError(406, "computeFault", `Version ${wanted} is not supported by the API. Minimum is 3.0 and maximum is 3.${MAXIMUM}.`);
}

function versions({ linkBase }: ServiceRequest, status: number): ServiceReply {
  const links = [{ rel: "self", href: `${linkBase}/v3/` }];
  const one = { id: "v3.0", status: "CURRENT", version: `3.${MAXIMUM}`, min_version: "3.0", updated: "2022-08-31T00:00:00Z", links };
  return json(status, { versions: [one] });
}
