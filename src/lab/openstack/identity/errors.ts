import { ServiceError } from "../world/service-error.js";

const MALFORMED =
  "The server could not comply with the request since it is either malformed or otherwise incorrect. The client is assumed to be in error.";

/** The service returns the same error for a wrong password, an unknown user or project, a missing role and an invalid token. */
export function unauthorized(message = "The request you have made requires authentication."): ServiceError {
  return new ServiceError(401, "Unauthorized", message);
}

export function malformed(message: string): ServiceError {
  return new ServiceError(400, "Bad Request", message);
}

export function expecting(what: string, where: string): ServiceError {
  return malformed(`Expecting to find ${what} in ${where}. ${MALFORMED}`);
}

export function forbidden(action: string): ServiceError {
  return new ServiceError(403, "Forbidden", `You are not authorized to perform the requested action: ${action}.`);
}

export function missing(message: string): ServiceError {
  return new ServiceError(404, "Not Found", message);
}

export function conflict(message: string): ServiceError {
  return new ServiceError(409, "Conflict", message);
}
