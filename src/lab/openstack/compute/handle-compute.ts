import { authenticated } from "../authenticated.js";
import type { Effect } from "../faults/fault.js";
import { json, plain, type ServiceReply, unauthorizedJson } from "../http/reply.js";
import type { AuthenticatedRequest, ServiceRequest } from "../http/request.js";
import type { LabCore } from "../lab-core.js";
import { refusal } from "../refusal.js";
import type { VolumeStatus } from "../volume/volume.js";
import { isAdmin } from "../world/requester.js";
import { ServiceError } from "../world/service-error.js";
import { badRequest, notAcceptable } from "./errors.js";
import { handleKeyPairs } from "./key-pair-requests.js";
import { handleFlavors, handleImages, handleLimits, handleZones } from "./read-requests.js";
import { handleServerGroups } from "./server-groups.js";
import { handleServers } from "./server-requests.js";
import type { View } from "./views.js";

const MINIMUM = 1;

const MAXIMUM = 93;

/** A call on one of the service's collections. `path` begins with the collection. */
export interface ComputeCall {
  readonly request: AuthenticatedRequest;
  readonly path: readonly string[];
  readonly view: View;
  /** Whether unknown attributes are refused. */
  readonly strict: boolean;
  /** The request's URL without the query. */
  readonly url: string;
  /** Error message for servers that this call creates, resizes or rebuilds, if a fault sets one. */
  readonly failsWith: string | undefined;
  /** Final status of a volume that this call attaches or detaches, if a fault sets one. */
  readonly endsIn: VolumeStatus | undefined;
  /** Whether a fault keeps an interface that this call detaches. */
  readonly interfaceStays: boolean;
}

type ComputeHandler = (call: ComputeCall) => ServiceReply | undefined;

const HANDLERS: Readonly<Record<string, ComputeHandler>> = {
  servers: handleServers,
  flavors: handleFlavors,
  images: handleImages,
  "os-keypairs": handleKeyPairs,
  "os-server-groups": handleServerGroups,
  limits: handleLimits,
  "os-availability-zone": handleZones,
  "os-quota-sets": handleLimits,
};
const NOWHERE = plain(404, "404 Not Found\n\nThe resource could not be found.\n\n   ");

/** The compute service: v2.1 with its microversions, and v2. */
export function handleCompute(core: LabCore, request: ServiceRequest, effects: readonly Effect[]): ServiceReply {
  let headers: Readonly<Record<string, string>> = {};
  const failsWith = effects.find((effect) => effect.kind === "server-fails")?.message;
  const endsIn = effects.find((effect) => effect.kind === "volume-ends")?.status;
  try {
    const [version, ...rest] = request.path;
    if (version === undefined) return json(200, { versions: [briefVersion("v2.0", request), briefVersion("v2.1", request)] });
    if (version !== "v2" && version !== "v2.1") return NOWHERE;
    if (rest.length === 0) return versionReply(version, request);
    const known = authenticated(core, request);
    if (known === undefined) return unauthorizedJson(core.urls.identity);
    const minor = microversion(request);
    headers = versionHeaders(minor);
    const path = withoutProject(rest, known);
    const base = `${request.linkBase}/${version}`;
    const project = path.length < rest.length ? `/${rest[0]}` : "";
    const view: View = {
      world: core.world,
      version: minor,
      self: `${base}${project}`,
      bookmark: `${request.linkBase}${project}`,
      imageUrl: core.urls.image,
      admin: isAdmin(known.requester),
    };
    const call = {
      request: known,
      path,
      view,
      strict: version === "v2.1",
      url: `${request.linkBase}${request.rawPath}`,
      failsWith,
      endsIn,
      interfaceStays: effects.some(({ kind }) => kind === "interface-stays"),
    };
    const reply = HANDLERS[path[0] ?? ""]?.(call) ?? NOWHERE;
    return { ...reply, headers: { ...headers, ...reply.headers } };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const reply = refusal("compute", error.status, error.type, error.message);
    return { ...reply, headers, contentType: "application/json; charset=UTF-8" };
  }
}

/** The project id may precede the collection. It must be the token's project. */
function withoutProject(parts: readonly string[], { requester }: AuthenticatedRequest): readonly string[] {
  const [first = "", ...rest] = parts;
  if (HANDLERS[first] !== undefined || !/^[0-9a-f]{32}$|^[0-9a-f-]{36}$/.test(first)) return parts;
  if (first === requester.projectId) return rest;
  throw badRequest(
    `Malformed request URL: URL's project_id '${first}' doesn't match Context's project_id '${requester.projectId ?? "None"}'`,
  );
}

function briefVersion(id: "v2.0" | "v2.1", { linkBase }: ServiceRequest): object {
  const isCurrent = id === "v2.1";
  return {
    id,
    status: isCurrent ? "CURRENT" : "SUPPORTED",
    version: isCurrent ? `2.${MAXIMUM}` : "",
    min_version: isCurrent ? "2.1" : "",
    updated: isCurrent ? "2013-07-23T11:33:21Z" : "2011-01-21T11:33:21Z",
    links: [{ rel: "self", href: `${linkBase}/${isCurrent ? "v2.1" : "v2"}/` }],
  };
}

function versionReply(path: "v2" | "v2.1", request: ServiceRequest): ServiceReply {
  const brief = briefVersion(path === "v2" ? "v2.0" : "v2.1", request) as { links: object[] };
  const described = { rel: "describedby", type: "text/html", href: "http://docs.openstack.org/" };
  const media = [{ base: "application/json", type: `application/vnd.openstack.compute+json;version=${path.slice(1)}` }];
  return json(200, { version: { ...brief, links: [...brief.links, described], "media-types": media } });
}

/** Returns the minor version of a request: `2.93` is 93. Paths of `/v2` are always 2.1 and ignore the header. */
function microversion({ path, headers }: ServiceRequest): number {
  if (path[0] !== "v2.1") return MINIMUM;
  const modern = /^compute\s+(.+)$/.exec(headers["openstack-api-version"]?.trim() ?? "")?.[1];
  const wanted = modern ?? headers["x-openstack-nova-api-version"]?.trim();
  if (wanted === undefined) return MINIMUM;
  if (wanted === "latest") return MAXIMUM;
  const minor = /^2\.([1-9]\d*)$/.exec(wanted)?.[1];
  if (minor === undefined && !/^\d+\.\d+$/.test(wanted)) {
    throw badRequest(`API Version String ${wanted} is of invalid format. Must be of format MajorNum.MinorNum.`);
  }
  if (minor === undefined || Number(minor) > MAXIMUM) {
    throw notAcceptable(`Version ${wanted} is not supported by the API. Minimum is 2.${MINIMUM} and maximum is 2.${MAXIMUM}.`);
  }
  return Number(minor);
}

/** Returns the headers that report the version of a reply. */
function versionHeaders(version: number): Record<string, string> {
  return {
    "openstack-api-version": `compute 2.${version}`,
    "x-openstack-nova-api-version": `2.${version}`,
    vary: "OpenStack-API-Version, X-OpenStack-Nova-API-Version",
  };
}
