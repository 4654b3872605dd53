import { type JsonObject, objectAt, objectsAt, textAt } from "../../../core/json/value.js";
import { readCatalogV2 } from "../catalog/catalog.js";
import type { Body } from "../client/request.js";
import type { Login } from "../clouds/login.js";
import type { CloudSession } from "./cloud-session.js";
import { lifetimeOf, named } from "./login-v3.js";

/** Builds the body of `POST /v2.0/tokens`. Undefined for application credentials, which v2.0 does not support. */
export function loginBodyV2(login: Exclude<Login, { by: "none" }>): { readonly [key: string]: Body } | undefined {
  if (login.by === "application-credential") return undefined;
  const tenant = { tenantId: login.project?.id, tenantName: login.project?.id === undefined ? login.project?.name : undefined };
  if (login.by === "token") return { auth: { token: { id: login.token }, ...tenant } };
  const { user, password } = login;
  const who = user.id === undefined ? { username: user.name } : { userId: user.id };
  return { auth: { passwordCredentials: { ...who, password }, ...tenant } };
}

/** Parses a v2.0 token. The token itself is `access.token.id`. */
export function readTokenV2(
  body: JsonObject,
): Omit<CloudSession, "token" | "renewAt"> & { readonly id: string | undefined; readonly lifetime: number | undefined } {
  const access = objectAt(body, "access") ?? {};
  const token = objectAt(access, "token") ?? {};
  const user = objectAt(access, "user") ?? {};
  return {
    id: textAt(token, "id"),
    project: named(objectAt(token, "tenant")),
    user: named(user),
    roles: objectsAt(user, "roles").flatMap((role) => textAt(role, "name") ?? []),
    endpoints: readCatalogV2(access),
    lifetime: lifetimeOf(textAt(token, "issued_at"), textAt(token, "expires")),
  };
}
