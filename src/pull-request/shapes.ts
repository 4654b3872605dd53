import { unreadableReply } from "./api-errors.js";

/** Returns a value as a JSON object. Throws `code-host-reply` for other values. */
export function objectOf(host: string, value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw unreadableReply(host, "an object is missing");
}

/** Returns the text or number at a key as text. Empty for other values. */
export function textAt(object: Readonly<Record<string, unknown>>, key: string): string {
  const value = object[key];
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
}

/** Returns the object at a key. Empty if there is none. */
export function objectAt(object: Readonly<Record<string, unknown>>, key: string): Readonly<Record<string, unknown>> {
  const value = object[key];
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
