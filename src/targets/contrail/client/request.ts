import type { JsonObject } from "../../../core/json/value.js";

/** One call of the controller. */
export interface ContrailRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Path with query, from the controller's root. */
  readonly path: string;
  readonly body?: JsonObject;
  readonly ifNoneMatch?: string;
  /** Whether it may be sent again when nobody knows if it was carried out. */
  readonly repeatable: boolean;
}

/** What may be logged and said of a request: no query, no body. */
export function requestWords({ method, path }: ContrailRequest): string {
  return `${method} ${path.split("?")[0]}`;
}

export function get(path: string, ifNoneMatch?: string): ContrailRequest {
  return { method: "GET", path, repeatable: true, ...(ifNoneMatch === undefined ? {} : { ifNoneMatch }) };
}

/** An action that asks, or that says a state to reach: twice is the same as once. */
export function repeatablePost(path: string, body: JsonObject): ContrailRequest {
  return { method: "POST", path, body, repeatable: true };
}

/** A query string of the parameters that have a value; an empty value is a flag. */
export function query(parameters: Readonly<Record<string, string | undefined>>): string {
  const pairs = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}
