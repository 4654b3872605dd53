import type { AuthenticatedRequest, ServiceRequest } from "./http/request.js";
import { requesterOf } from "./identity/identity.js";
import type { LabCore } from "./lab-core.js";

/** Adds the owner of the token to a request. Returns undefined if the token is missing, invalid, expired or revoked. */
export function authenticated(core: LabCore, request: ServiceRequest): AuthenticatedRequest | undefined {
  const token = core.world.identity.token(request.headers["x-auth-token"]);
  return token === undefined ? undefined : { ...request, requester: requesterOf(token) };
}
