import { authenticated } from "../authenticated.js";
import { empty, json, plain, type ServiceReply, unauthorizedJson } from "../http/reply.js";
import type { AuthenticatedRequest, ServiceRequest } from "../http/request.js";
import type { LabCore } from "../lab-core.js";
import { refusal } from "../refusal.js";
import { isObject, type JsonObject } from "../world/json.js";
import { owns } from "../world/requester.js";
import { ServiceError } from "../world/service-error.js";
import { badRequest, disallowed, type NetworkKind } from "./errors.js";
import { EXTENSIONS, TAGS_AT_CREATE } from "./extensions.js";
import { filter, pick } from "./filter.js";
import type { NetworkService } from "./network-service.js";
import { page } from "./page.js";
import { handleQuotas } from "./quota-requests.js";
import { prefixesIn } from "./subnet-pools.js";
import { handleTags } from "./tags.js";

/** Kinds by the name of their collection. */
const COLLECTIONS: Readonly<Record<string, NetworkKind>> = {
  networks: "network",
  subnets: "subnet",
  subnetpools: "subnetpool",
  ports: "port",
  trunks: "trunk",
  routers: "router",
  "security-groups": "security_group",
  "security-group-rules": "security_group_rule",
  floatingips: "floatingip",
  "address-groups": "address_group",
  "rbac-policies": "rbac_policy",
};

const NOT_FOUND = new ServiceError(404, "HTTPNotFound", "The resource could not be found.");
const WRONG_METHOD = new ServiceError(
  405,
  "HTTPMethodNotAllowed",
  "The server could not comply with the request since it is either malformed or otherwise incorrect.",
);

/** The network service, v2.0. */
export function handleNetwork(core: LabCore, request: ServiceRequest): ServiceReply {
  try {
    if (request.path.length === 0) return versions(request);
    const known = authenticated(core, request);
    if (known === undefined) return unauthorizedJson(core.urls.identity);
    return answer(core.world.network, known);
  } catch (error) {
    if (error instanceof ServiceError) return refusal("network", error.status, error.type, error.message);
    throw error;
  }
}

function versions({ linkBase }: ServiceRequest): ServiceReply {
  return json(200, { versions: [{ id: "v2.0", status: "CURRENT", links: [{ rel: "self", href: `${linkBase}/v2.0/` }] }] });
}

function answer(service: NetworkService, request: AuthenticatedRequest): ServiceReply {
  const { path, rawPath, headers } = request;
  if (path[0] !== "v2.0" || rawPath === "/v2.0") throw NOT_FOUND;
  const accept = headers.accept ?? "*/*";
  if (!/json|\*\/\*|application\/\*/.test(accept)) throw new ServiceError(406, "HTTPNotAcceptable", "The content type is not acceptable.");
  const collection = path[1]?.replace(/\.json$/, "");
  if (collection === undefined) return resources(request);
  if (collection === "extensions") return extensions(service, path[2]);
  if (collection === "quotas") return handleQuotas(service, request) ?? refuseMethod();
  const kind = COLLECTIONS[collection];
  if (kind === undefined) throw NOT_FOUND;
  if (kind === "address_group" && path[3] !== undefined) return addressGroup(service, request);
  if (kind === "subnetpool" && path[3] !== undefined && path[3] !== "tags") return poolPrefixes(service, request);
  if (kind === "trunk" && path[3] !== undefined && path[3] !== "tags") return subports(service, request);
  if (kind === "rbac_policy" && path[3] !== undefined) throw NOT_FOUND;
  if (path[3] === "tags" && path.length <= 5) return handleTags(service, kind, request) ?? refuseMethod();
  if (path[3] !== undefined) return routerInterface(service, kind, request);
  return path[2] === undefined ? onCollection(service, kind, request) : onObject(service, kind, path[2].replace(/\.json$/, ""), request);
}

function onCollection(service: NetworkService, kind: NetworkKind, request: AuthenticatedRequest): ServiceReply {
  const { method, query, requester, linkBase, rawPath } = request;
  const { plural, attributes } = service.managers[kind];
  if (method === "POST") {
    const made = service.createFrom(kind, requester, bodyOf(request));
    if (Array.isArray(made)) return json(201, { [plural]: made.map((each) => created(service, kind, each, request)) });
    return json(201, { [kind]: created(service, kind, made, request) });
  }
  if (method !== "GET") return refuseMethod();
  const shown = filter(
    kind,
    service.visible(kind, requester).map((object) => service.show(kind, object, requester)),
    query,
    attributes,
  );
  const { objects, links } = page(kind, shown, query, attributes, service.pageMaximum, `${linkBase}${rawPath}`);
  const picked = objects.map((object) => pick(object, query));
  return json(200, { [plural]: picked, ...(links === undefined || links.length === 0 ? {} : { [`${plural}_links`]: links }) });
}

/** The reply to a create contains `is_default` for every network. */
function created<K extends NetworkKind>(
  service: NetworkService,
  kind: K,
  object: Parameters<typeof service.show<K>>[1],
  request: AuthenticatedRequest,
): JsonObject {
  const shown = service.show(kind, object, request.requester);
  return kind === "network" && "is_default" in object ? { ...shown, is_default: object.is_default } : shown;
}

function onObject(service: NetworkService, kind: NetworkKind, id: string, request: AuthenticatedRequest): ServiceReply {
  const { method, query, requester } = request;
  switch (method) {
    case "GET":
      return json(200, { [kind]: pick(service.show(kind, service.get(kind, id, requester), requester), query) });
    case "PUT":
      return json(200, {
        [kind]: service.show(kind, service.updateFrom(kind, requester, id, bodyOf(request), revisionOf(request)), requester),
      });
    case "DELETE":
      service.delete(kind, requester, id, revisionOf(request));
      return empty(204);
    default:
      return refuseMethod();
  }
}

function addressGroup(service: NetworkService, { path, method, requester, body }: AuthenticatedRequest): ServiceReply {
  const [, , id = "", action] = path;
  const isKnown = action === "add_addresses" || action === "remove_addresses";
  if (!isKnown || path.length > 4 || method !== "PUT") throw NOT_FOUND;
  const group = service.get("address_group", id, requester);
  const addresses = isObject(body) && Array.isArray(body.addresses) ? body.addresses.map(String) : [];
  if (action === "add_addresses") service.addressGroups.addAddresses(group, addresses);
  else service.addressGroups.removeAddresses(group, addresses);
  return json(200, { address_group: service.show("address_group", group, requester) });
}

function poolPrefixes(service: NetworkService, { path, method, requester, body }: AuthenticatedRequest): ServiceReply {
  const [, , id = "", action] = path;
  const isKnown = action === "add_prefixes" || action === "remove_prefixes";
  if (!isKnown || path.length > 4 || method !== "PUT") throw NOT_FOUND;
  const pool = service.get("subnetpool", id, requester);
  if (!owns(requester, pool.project_id)) throw disallowed(`rule:${action}`);
  if (action === "add_prefixes") service.subnetPools.addPrefixes(pool, prefixesIn(body));
  else service.subnetPools.removePrefixes(pool, prefixesIn(body));
  return json(200, { prefixes: pool.prefixes });
}

function subports(service: NetworkService, { path, method, requester, body }: AuthenticatedRequest): ServiceReply {
  const [, , id = "", action] = path;
  if (path.length > 4 || !["add_subports", "remove_subports", "get_subports"].includes(action ?? "")) throw NOT_FOUND;
  const trunk = service.get("trunk", id, requester);
  if (action === "get_subports") return method === "GET" ? json(200, { sub_ports: trunk.sub_ports as never }) : refuseMethod();
  if (method !== "PUT") return refuseMethod();
  if (!owns(requester, trunk.project_id)) throw disallowed(`rule:${action}`);
  const given = isObject(body) ? body.sub_ports : undefined;
  if (action === "add_subports") service.trunks.addSubports(trunk, given);
  else service.trunks.removeSubports(trunk, given);
  return json(200, service.show("trunk", trunk, requester));
}

function routerInterface(service: NetworkService, kind: NetworkKind, request: AuthenticatedRequest): ServiceReply {
  const { path, method, requester } = request;
  const [, , id = "", action] = path;
  if (kind !== "router" || path.length > 4) throw NOT_FOUND;
  if (action !== "add_router_interface" && action !== "remove_router_interface") throw NOT_FOUND;
  if (method !== "PUT") return refuseMethod();
  const router = service.get("router", id, requester);
  if (!owns(requester, router.project_id)) throw disallowed(`rule:${action}`);
  const given = bodyOf(request);
  const body = isObject(given) ? given : {};
  const { routers } = service;
  return json(
    200,
    action === "add_router_interface" ? routers.addInterface(router, body, requester) : routers.removeInterface(router, body),
  );
}

function bodyOf({ body, hasBody }: AuthenticatedRequest): unknown {
  if (body === undefined || !hasBody) throw badRequest("Body contains invalid data");
  return body;
}

/** Returns the revision that `If-Match: revision_number=N` requires. Other forms of the header are ignored. */
function revisionOf({ headers }: AuthenticatedRequest): number | undefined {
  const revision = /^revision_number=(\d+)$/.exec(headers["if-match"] ?? "")?.[1];
  return revision === undefined ? undefined : Number(revision);
}

function resources({ linkBase }: AuthenticatedRequest): ServiceReply {
  const all = Object.entries(COLLECTIONS).map(([collection, name]) => ({
    links: [{ rel: "self", href: `${linkBase}/v2.0/${collection}` }],
    name,
    collection,
  }));
  return json(200, { resources: all });
}

function extensions({ tagsAtCreate }: NetworkService, alias: string | undefined): ServiceReply {
  const all = tagsAtCreate ? [...EXTENSIONS, TAGS_AT_CREATE] : EXTENSIONS;
  if (alias === undefined) return json(200, { extensions: all });
  const extension = all.find((each) => each.alias === alias);
  if (extension !== undefined) return json(200, { extension });
  return plain(404, `404 Not Found\n\nThe resource could not be found.\n\n Extension with alias ${alias} does not exist  `);
}

function refuseMethod(): never {
  throw WRONG_METHOD;
}
