import type { JsonObject } from "../../../core/json/value.js";

/** One request to the controller. */
export interface ContrailRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Path with query, relative to the controller's root. */
  readonly path: string;
  readonly body?: JsonObject;
  readonly ifNoneMatch?: string;
  /** Whether the request may be sent again if its outcome is unknown. */
  readonly repeatable: boolean;
}

/** Method and path of a request for logs and messages, without query and body. */
export function requestLine({ method, path }: ContrailRequest): string {
  return `${method} ${path.split("?")[0]}`;
}

export function get(path: string, ifNoneMatch?: string): ContrailRequest {
  return { method: "GET", path, repeatable: true, ...(ifNoneMatch === undefined ? {} : { ifNoneMatch }) };
}

/** Builds a POST that only reads or that sets a state: sending it twice has the same effect as once. */
export function repeatablePost(path: string, body: JsonObject): ContrailRequest {
  return { method: "POST", path, body, repeatable: true };
}

/** Builds a query string from the parameters that have a value. An empty value is a flag. */
export function query(parameters: Readonly<Record<string, string | undefined>>): string {
  const pairs = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}
