import { challenge, empty, json, type ServiceReply } from "../http/reply.js";
import type { ServiceRequest } from "../http/request.js";
import type { LabCore } from "../lab-core.js";
import { isObject, type JsonObject } from "../world/json.js";
import { ServiceError } from "../world/service-error.js";
import { authenticateV2, authenticateV3 } from "./authenticate.js";
import { catalogV2, catalogV3 } from "./catalog.js";
import type { ApplicationCredential, Token } from "./directory.js";
import { expecting, forbidden, malformed, missing, unauthorized } from "./errors.js";
import type { Identity } from "./identity.js";
import { credentialV3, projectV3, tenant, tokenV2, tokenV3 } from "./views.js";

const NO_SUCH_PAGE = `<!doctype html>
<html lang=en>
<title>404 Not Found</title>
<h1>Not Found</h1>
<p>The requested URL was not found on the server. If you entered the URL manually please check your spelling and try again.</p>
`;
const WRONG_METHOD = `<!doctype html>
<html lang=en>
<title>405 Method Not Allowed</title>
<h1>Method Not Allowed</h1>
<p>The method is not allowed for the requested URL.</p>
`;

type Handler = (core: LabCore, request: ServiceRequest) => ServiceReply;

const V3: Readonly<Record<string, Handler>> = {
  "POST auth/tokens": (core, request) => {
    const token = authenticateV3(core.world.identity, bodyOf(request));
    return json(201, shown(core, request, token), { "x-subject-token": token.id });
  },
  "GET auth/tokens": (core, request) => {
    const subject = subjectOf(core, request);
    return json(200, shown(core, request, subject), { "x-subject-token": subject.id });
  },
  "HEAD auth/tokens": (core, request) => empty(200, { "x-subject-token": subjectOf(core, request).id }),
  "DELETE auth/tokens": (core, request) => {
    core.world.identity.revoke(subjectOf(core, request).id);
    return empty(204);
  },
  "GET auth/projects": ({ world: { identity } }, request) => listProjects(identity.projectsOf(who(identity, request).user), request),
  "GET auth/catalog": (core, request) => {
    const token = who(core.world.identity, request);
    return json(200, { catalog: catalogV3(core.endpoints(token.project?.id), core.regions), links: links(request) });
  },
  "GET projects": ({ world: { identity } }, request) => {
    if (!who(identity, request).roles.includes("admin")) throw forbidden("identity:list_projects");
    const name = request.query.get("name");
    return listProjects(
      [...identity.projects.values()].filter((project) => name === null || project.name === name),
      request,
    );
  },
  "GET projects/*": ({ world: { identity } }, request) => {
    const token = who(identity, request);
    const project = identity.projects.get(request.path[2] ?? "");
    const isOwn = project !== undefined && identity.projectsOf(token.user).includes(project);
    if (!token.roles.includes("admin") && !isOwn) throw forbidden("identity:get_project");
    if (project === undefined) throw missing(`Could not find project: ${request.path[2]}.`);
    return json(200, { project: projectV3(project, request.linkBase) });
  },
  "GET users/*/projects": ({ world: { identity } }, request) => {
    const token = who(identity, request);
    const user = identity.users.get(request.path[2] ?? "");
    if (user === undefined || (user !== token.user && !token.roles.includes("admin"))) throw forbidden("identity:list_user_projects");
    return listProjects(identity.projectsOf(user), request);
  },
  "POST users/*/application_credentials": (core, request) => {
    const { identity } = core.world;
    const token = ownUser(identity, request, "create");
    const body = bodyOf(request);
    const requested = isObject(body) ? body.application_credential : undefined;
    if (!isObject(requested) || typeof requested.name !== "string") throw malformed("'name' is a required property");
    refuseCredential(requested, core.world.clock.now());
    const credential = identity.addCredential(token, requested.name, {
      ...(typeof requested.secret === "string" ? { secret: requested.secret } : {}),
      ...(typeof requested.description === "string" ? { description: requested.description } : {}),
      ...(typeof requested.unrestricted === "boolean" ? { unrestricted: requested.unrestricted } : {}),
      ...(typeof requested.expires_at === "string" ? { expiresAt: Date.parse(`${requested.expires_at.replace(/Z$/, "")}Z`) } : {}),
    });
    const view = { ...credentialV3(identity, credential, request.linkBase), secret: credential.secret };
    return json(201, { application_credential: view });
  },
  "GET users/*/application_credentials": ({ world: { identity } }, request) => {
    const { user } = ownUser(identity, request, "list");
    const named = request.query.get("name");
    const isShown = ({ userId, name }: ApplicationCredential) => userId === user.id && (named === null || name === named);
    const own = [...identity.credentials.values()].filter(isShown);
    const views = own.map((credential) => credentialV3(identity, credential, request.linkBase));
    return json(200, { application_credentials: views, links: links(request) });
  },
  "GET users/*/application_credentials/*": ({ world: { identity } }, request) =>
    json(200, { application_credential: credentialV3(identity, ownCredential(identity, request, "get"), request.linkBase) }),
  "DELETE users/*/application_credentials/*": ({ world: { identity } }, request) => {
    identity.credentials.delete(ownCredential(identity, request, "delete").id);
    return empty(204);
  },
};

const CREDENTIAL_FIELDS = ["name", "description", "secret", "expires_at", "unrestricted", "roles", "access_rules", "project_id"];

function refuseCredential(request: JsonObject, now: number): void {
  const unknown = Object.keys(request).find((key) => !CREDENTIAL_FIELDS.includes(key));
  if (unknown !== undefined) throw malformed(`Additional properties are not allowed ('${unknown}' was unexpected)`);
  if (request.name === "") throw malformed("Invalid input for field 'name': '' should be non-empty");
  const isText = (value: unknown) => value === undefined || value === null || typeof value === "string";
  const wrong = ["secret", "description", "expires_at"].find((key) => !isText(request[key]));
  if (wrong !== undefined) throw malformed(`Invalid input for field '${wrong}': ${request[wrong]} is not of type 'string', 'null'`);
  if (typeof request.name === "string" && request.name.length > 255)
    throw malformed(`Invalid input for field 'name': '${request.name}' is too long`);
  if (request.unrestricted !== undefined && typeof request.unrestricted !== "boolean")
    throw malformed(`Invalid input for field 'unrestricted': '${request.unrestricted}' is not of type 'boolean'`);
  if (typeof request.expires_at !== "string") return;
  const ends = Date.parse(`${request.expires_at.replace(/Z$/, "")}Z`);
  if (Number.isNaN(ends) || ends <= now) throw malformed("Invalid input for field 'expires_at': the time must be valid and in the future");
}

/** A member may not list these. */
const ADMINISTRATIVE = ["users", "roles", "services", "endpoints", "domains"];

const V2: Readonly<Record<string, Handler>> = {
  "POST tokens": (core, request) => {
    const token = authenticateV2(core.world.identity, bodyOf(request));
    return json(200, tokenV2(core.world.identity, token, catalogV2(core.endpoints(token.project?.id), core.regions)));
  },
  "GET tenants": ({ world: { identity } }, request) =>
    json(200, { tenants: identity.projectsOf(who(identity, request).user).map(tenant), tenants_links: [] }),
};

/** The identity service: v3, and v2.0 if the lab has it. */
export function handleIdentity(core: LabCore, request: ServiceRequest): ServiceReply {
  try {
    return answer(core, request);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { status, type, message } = error;
    const headers = status === 401 ? challenge(`${core.urls.identity}/v3`) : {};
    return { ...json(status, { error: { code: status, message, title: type } }, headers), message };
  }
}

function answer(core: LabCore, request: ServiceRequest): ServiceReply {
  const [version, ...rest] = request.path;
  if (version === undefined) {
    const values = [versionV3(request.linkBase), ...(core.options.identityV2 === false ? [] : [versionV2(request.linkBase)])];
    return json(300, { versions: { values } });
  }
  const routes = version === "v3" ? V3 : version === "v2.0" && core.options.identityV2 !== false ? V2 : {};
  if (rest.length === 0 && routes === V3) return json(200, { version: versionV3(request.linkBase) });
  if (rest.length === 0 && routes === V2) return json(200, { version: versionV2(request.linkBase) });
  const pattern = (method: string): string => `${method} ${rest.map((part, index) => (isParameter(rest, index) ? "*" : part)).join("/")}`;
  const handler = routes[pattern(request.method)];
  if (handler !== undefined) return handler(core, request);
  const [list = ""] = rest;
  if (routes === V3 && rest.length === 1 && ADMINISTRATIVE.includes(list) && !who(core.world.identity, request).roles.includes("admin"))
    throw forbidden(`identity:list_${list}`);
  const known = ["GET", "POST", "DELETE"].some((method) => routes[pattern(method)] !== undefined);
  return { status: known ? 405 : 404, contentType: "text/html; charset=utf-8", text: known ? WRONG_METHOD : NO_SUCH_PAGE };
}

function isParameter(parts: readonly string[], index: number): boolean {
  return ["projects", "users", "application_credentials"].includes(parts[index - 1] ?? "") && parts[0] !== "auth";
}

function bodyOf(request: ServiceRequest): unknown {
  if (request.headers["content-type"]?.startsWith("application/json") !== true) {
    throw expecting("application/json", "Content-Type header");
  }
  if (request.body === undefined) throw expecting("valid JSON", "request body");
  return request.body;
}

function who(identity: Identity, { headers }: ServiceRequest): Token {
  const token = identity.token(headers["x-auth-token"]);
  if (token === undefined) throw unauthorized();
  return token;
}

function subjectOf({ world: { identity } }: LabCore, request: ServiceRequest): Token {
  const asker = who(identity, request);
  const id = request.headers["x-subject-token"];
  if (id === undefined) throw forbidden("identity:validate_token");
  const subject = identity.token(id);
  if (subject === undefined) throw missing("Could not recognize Fernet token");
  if (subject.user !== asker.user && !asker.roles.includes("admin")) throw forbidden("identity:validate_token");
  return subject;
}

function ownUser(identity: Identity, request: ServiceRequest, verb: string): Token {
  const token = who(identity, request);
  if (request.path[2] !== token.user.id) throw forbidden(`identity:${verb}_application_credential`);
  if (verb !== "get" && verb !== "list" && token.credential !== undefined && token.credential.unrestricted !== true) {
    throw forbidden(`identity:${verb}_application_credential`);
  }
  return token;
}

function ownCredential(identity: Identity, request: ServiceRequest, verb: string): ApplicationCredential {
  ownUser(identity, request, verb);
  const credential = identity.credentials.get(request.path[4] ?? "");
  if (credential === undefined) throw missing(`Could not find Application Credential: ${request.path[4]}.`);
  return credential;
}

function shown(core: LabCore, request: ServiceRequest, token: Token): object {
  const wantsCatalog = !request.query.has("nocatalog");
  return tokenV3(core.world.identity, token, wantsCatalog ? catalogV3(core.endpoints(token.project?.id), core.regions) : undefined);
}

function listProjects(projects: readonly Parameters<typeof projectV3>[0][], request: ServiceRequest): ServiceReply {
  return json(200, { projects: projects.map((project) => projectV3(project, request.linkBase)), links: links(request) });
}

function links({ linkBase, rawPath, query }: ServiceRequest): object {
  return { next: null, self: `${linkBase}${rawPath}${query.size === 0 ? "" : `?${query}`}`, previous: null };
}

function versionV3(base: string): object {
  return version("v3.14", "stable", "2020-04-07T00:00:00Z", `${base}/v3/`, "v3");
}

function versionV2(base: string): object {
  return version("v2.0", "deprecated", "2016-08-04T00:00:00Z", `${base}/v2.0/`, "v2.0");
}

function version(id: string, status: string, updated: string, href: string, type: string): object {
  const media = [{ base: "application/json", type: `application/vnd.openstack.identity-${type}+json` }];
  return { id, status, updated, links: [{ rel: "self", href }], "media-types": media };
}
