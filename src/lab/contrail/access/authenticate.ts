import { ControllerError } from "../world/controller-error.js";
import { undashed } from "../world/uuid.js";
import { type Caller, NO_AUTH_CALLER } from "./caller.js";
import type { AaaMode, TokenChecker } from "./token.js";

const ADMIN_ROLE = "admin";

/** Returns whether a path needs no token. */
export function isOpenToAll(path: string): boolean {
  return path === "/" || path.startsWith("/documentation");
}

/** Returns the caller. Refuses a missing or invalid token (401) and, in cloud-admin mode, callers without the role (403). */
export async function authenticate(
  mode: AaaMode,
  check: TokenChecker | undefined,
  token: string | undefined,
  path: string,
): Promise<Caller> {
  if (mode === "no-auth" || isOpenToAll(path)) return NO_AUTH_CALLER;
  const info = token === undefined ? undefined : await check?.(token);
  if (info === undefined) throw new ControllerError(401, "The request you have made requires authentication.", "keystone");
  const admin = info.roles.includes(ADMIN_ROLE);
  if (mode === "cloud-admin" && !admin) throw new ControllerError(403, "403 Permission Denied", "plain");
  return {
    user: info.user,
    roles: info.roles,
    projectName: info.projectName,
    projectId: info.projectId === undefined ? undefined : undashed(info.projectId),
    admin,
    authenticated: true,
  };
}
