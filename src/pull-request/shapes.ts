import { unreadableReply } from "./api-errors.js";

/** A JSON object of which nothing is known yet. Throws `code-host-reply` for anything else. */
export function objectOf(host: string, value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw unreadableReply(host, "an object is missing");
}

/** The text at a key; numbers become text, absence an empty one. */
export function textAt(object: Readonly<Record<string, unknown>>, key: string): string {
  const value = object[key];
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
}

/** The object at a key, empty where there is none. */
export function objectAt(object: Readonly<Record<string, unknown>>, key: string): Readonly<Record<string, unknown>> {
  const value = object[key];
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
