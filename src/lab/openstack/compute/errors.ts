import { ServiceError } from "../world/service-error.js";

export function badRequest(message: string): ServiceError {
  return new ServiceError(400, "badRequest", message);
}

/** Returns the error for a value that violates the schema. */
export function invalidField(name: string, value: unknown, why: string): ServiceError {
  return badRequest(`Invalid input for field/attribute ${name}. Value: ${show(value)}. ${why}`);
}

export function forbidden(message: string): ServiceError {
  return new ServiceError(403, "forbidden", message);
}

export function itemNotFound(message: string): ServiceError {
  return new ServiceError(404, "itemNotFound", message);
}

export function conflict(message: string): ServiceError {
  return new ServiceError(409, "conflictingRequest", message);
}

export function notAcceptable(message: string): ServiceError {
  return new ServiceError(406, "computeFault", message);
}

/** Formats a value as Python prints it. */
export function show(value: unknown, quoted = false): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") return quoted ? `'${value}'` : value;
  if (Array.isArray(value)) return `[${value.map((each) => show(each, true)).join(", ")}]`;
  if (typeof value === "object")
    return `{${Object.entries(value)
      .map(([key, each]) => `'${key}': ${show(each, true)}`)
      .join(", ")}}`;
  return String(value);
}
