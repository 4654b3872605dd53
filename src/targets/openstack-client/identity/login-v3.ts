import { type JsonObject, objectAt, objectsAt, textAt } from "../../../core/json/value.js";
import { readCatalogV3 } from "../catalog/catalog.js";
import type { Body } from "../client/request.js";
import type { DomainRef, Login, ProjectRef, UserRef } from "../clouds/login.js";
import type { CloudSession } from "./cloud-session.js";

/** Builds the body of `POST /v3/auth/tokens`. An application credential has no scope, because it belongs to a project. */
export function loginBodyV3(login: Exclude<Login, { by: "none" }>): { readonly [key: string]: Body } {
  switch (login.by) {
    case "password":
      return authOf("password", { user: { ...userBody(login.user), password: login.password } }, login.project);
    case "token":
      return authOf("token", { id: login.token }, login.project);
    case "application-credential": {
      const { id, name, user, secret } = login;
      const who = id === undefined ? { name, ...(user === undefined ? {} : { user: userBody(user) }) } : { id };
      return authOf("application_credential", { ...who, secret }, undefined);
    }
  }
}

function authOf(method: string, proof: Body, project: ProjectRef | undefined): { readonly [key: string]: Body } {
  const scope = project === undefined ? undefined : { project: projectBody(project) };
  return { auth: { identity: { methods: [method], [method]: proof }, scope } };
}

function userBody({ id, name, domain }: UserRef): { readonly [key: string]: Body | undefined } {
  return id === undefined ? { name, domain: domainBody(domain) } : { id };
}

function projectBody({ id, name, domain }: ProjectRef): Body {
  return id === undefined ? { name, domain: domainBody(domain) } : { id };
}

function domainBody({ id, name }: DomainRef): Body {
  return id === undefined ? { name } : { id };
}

/** Parses a v3 token. Its times are from the service's clock. */
export function readTokenV3(body: JsonObject): Omit<CloudSession, "token" | "renewAt"> & { readonly lifetime: number | undefined } {
  const token = objectAt(body, "token") ?? {};
  return {
    project: named(objectAt(token, "project")),
    user: named(objectAt(token, "user")),
    roles: objectsAt(token, "roles").flatMap((role) => textAt(role, "name") ?? []),
    endpoints: readCatalogV3(token),
    lifetime: lifetimeOf(textAt(token, "issued_at"), textAt(token, "expires_at")),
  };
}

export function named(object: JsonObject | undefined): { readonly id: string; readonly name: string } | undefined {
  const id = object === undefined ? undefined : textAt(object, "id");
  return id === undefined || object === undefined ? undefined : { id, name: textAt(object, "name") ?? "" };
}

/** Milliseconds between two times of the same clock. Both are UTC; the expiry of an application credential lacks the Z. */
export function lifetimeOf(issued: string | undefined, expires: string | undefined): number | undefined {
  const [from, to] = [issued, expires].map((time) => (time === undefined ? Number.NaN : Date.parse(`${time.replace(/Z$/, "")}Z`)));
  const lifetime = (to ?? Number.NaN) - (from ?? Number.NaN);
  return Number.isFinite(lifetime) ? lifetime : undefined;
}
