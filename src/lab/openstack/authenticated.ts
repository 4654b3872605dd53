import type { AuthenticatedRequest, ServiceRequest } from "./http/request.js";
import { requesterOf } from "./identity/identity.js";
import type { LabCore } from "./lab-core.js";

/** The request with whom its token is of; undefined for no token, a wrong, an expired or a revoked one. */
export function authenticated(core: LabCore, request: ServiceRequest): AuthenticatedRequest | undefined {
  const token = core.world.identity.token(request.headers["x-auth-token"]);
  return token === undefined ? undefined : { ...request, requester: requesterOf(token) };
}
