import { isObject, type Json, type JsonObject } from "../world/json.js";
import { type ApplicationCredential, DOMAIN, type Project, type Token, type User } from "./directory.js";
import { expecting, malformed, missing, unauthorized } from "./errors.js";
import type { Identity } from "./identity.js";

/** Issues a token for a v3 `auth` object. */
export function authenticateV3(identity: Identity, body: unknown): Token {
  const auth = isObject(body) ? body.auth : undefined;
  if (!isObject(auth)) throw expecting("auth", "request body");
  const proof = auth.identity;
  if (!isObject(proof)) throw malformed("'identity' is a required property\n\nFailed validating 'required' in schema");
  if (!Array.isArray(proof.methods)) throw expecting("methods", "identity");
  const methods = proof.methods.map(String);
  if (methods.includes("application_credential") && auth.scope !== undefined)
    throw unauthorized("Error authenticating with application credential: Application credentials cannot request a scope.");
  refuseScopeType(auth.scope);
  for (const each of methods) {
    if (!isObject(proof[each])) throw expecting(each, "identity");
    if (!METHODS.has(each)) throw unauthorized();
  }
  refuseScope(auth.scope);
  if (methods.length === 0) throw unauthorized();
  // The service looks for the project before it looks at the user.
  const scope = scopeOf(identity, auth.scope);
  const [method = ""] = methods;
  const given = proof[method];
  if (!isObject(given)) throw expecting(method, "identity");
  if (method === "application_credential") return byCredential(identity, given);
  if (method === "token") return byToken(identity, given, scope);
  const user = passwordUser(identity, given.user);
  return identity.issue({ methods, user, ...scope });
}

interface Scope {
  readonly project?: Project;
  readonly system?: boolean;
}

const METHODS: ReadonlySet<string> = new Set(["password", "token", "application_credential"]);

function refuseScopeType(scope: Json | undefined): void {
  const isKnown = scope === undefined || scope === null || scope === "unscoped" || isObject(scope);
  if (!isKnown) throw malformed("Invalid input for field 'scope'");
}

/** A project that is called by its name needs a domain. */
function refuseScope(scope: Json | undefined): void {
  if (!isObject(scope)) return;
  const { project } = scope;
  if (isObject(project) && project.id === undefined && !isObject(project.domain)) throw expecting("domain", "project");
}

/** Issues a token for a v2.0 `auth` object: by name and password, or by another token. */
export function authenticateV2(identity: Identity, body: unknown): Token {
  const auth = isObject(body) ? body.auth : undefined;
  if (!isObject(auth)) throw expecting("auth", "request body");
  const { passwordCredentials, token, tenantName, tenantId } = auth;
  const project = typeof tenantId === "string" ? identity.projects.get(tenantId) : identity.projectNamed(String(tenantName ?? ""));
  const wantsProject = typeof tenantId === "string" || (typeof tenantName === "string" && tenantName !== "");
  if (wantsProject && project === undefined) throw unauthorized();
  if (isObject(passwordCredentials)) {
    const { username, userId, password } = passwordCredentials;
    const user = typeof userId === "string" ? identity.users.get(userId) : identity.userNamed(String(username));
    if (user === undefined || user.password !== password) throw unauthorized();
    return identity.issue({ methods: ["password"], user, project: wantsProject ? project : undefined });
  }
  if (!isObject(token)) throw expecting("passwordCredentials or token", "auth");
  const live = identity.token(String(token.id));
  if (live === undefined) throw unauthorized();
  return identity.issue({ methods: ["token"], user: live.user, project: wantsProject ? project : undefined, until: live.expiresAt });
}

function passwordUser(identity: Identity, given: Json | undefined): User {
  if (!isObject(given)) throw expecting("user", "password");
  const user = findUser(identity, given);
  if (user === undefined || user.password !== given.password) throw unauthorized();
  return user;
}

function findUser(identity: Identity, given: JsonObject): User | undefined {
  if (typeof given.id === "string") return identity.users.get(given.id);
  if (!isObject(given.domain)) throw expecting("domain", "user");
  return isOurDomain(given.domain) ? identity.userNamed(String(given.name)) : undefined;
}

function byToken(identity: Identity, given: JsonObject, scope: Scope): Token {
  const live = identity.token(String(given.id));
  if (live === undefined) throw missing("Failed to validate token");
  if (live.credential !== undefined && live.credential.unrestricted !== true) throw unauthorized();
  return identity.issue({
    methods: [...new Set(["token", ...live.methods])],
    user: live.user,
    ...scope,
    until: live.expiresAt,
  });
}

function byCredential(identity: Identity, given: JsonObject): Token {
  const credential = findCredential(identity, given);
  const user = identity.users.get(credential.userId);
  const project = identity.projects.get(credential.projectId);
  if (credential.secret !== given.secret || user === undefined) throw unauthorized();
  return identity.issue({ methods: ["application_credential"], user, project, credential, until: credential.expiresAt });
}

function findCredential(identity: Identity, { id, name, user }: JsonObject): ApplicationCredential {
  const owner = typeof id !== "string" && isObject(user) ? findUser(identity, user) : undefined;
  const found =
    typeof id === "string"
      ? identity.credentials.get(id)
      : [...identity.credentials.values()].find((each) => each.name === name && each.userId === owner?.id);
  if (found === undefined) throw missing(`Could not find Application Credential: ${String(id ?? name)}.`);
  return found;
}

function scopeOf(identity: Identity, scope: Json | undefined): Scope {
  if (!isObject(scope)) return {};
  if (isObject(scope.system)) return { system: true };
  if (!isObject(scope.project)) return {};
  const { id, name, domain } = scope.project;
  if (typeof id !== "string" && !isObject(domain)) throw expecting("domain", "project");
  const project =
    typeof id === "string"
      ? identity.projects.get(id)
      : isOurDomain(domain as JsonObject)
        ? identity.projectNamed(String(name))
        : undefined;
  if (project === undefined) throw unauthorized();
  return { project };
}

function isOurDomain({ id, name }: JsonObject): boolean {
  return typeof id === "string" ? id === DOMAIN.id : name === DOMAIN.name;
}
