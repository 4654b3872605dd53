import type { SecretValue } from "../../../core/secret.js";

/** The services that the target speaks to, by their type in the catalog. */
export type ServiceType = "identity" | "network" | "compute" | "image" | "volume";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** A JSON body whose secrets are marked by type; they are revealed on the wire alone. Members that are undefined are left out. */
export type Body = null | boolean | number | bigint | string | SecretValue | readonly Body[] | { readonly [key: string]: Body | undefined };

/** A call of one service, by its path below the version: `["networks", id]`. */
export interface OpenstackRequest {
  readonly service: ServiceType;
  readonly method: Method;
  /** Steps of the path, not yet encoded. */
  readonly path: readonly string[];
  readonly query?: Iterable<readonly [string, string]> | undefined;
  readonly body?: { readonly [key: string]: Body | undefined } | undefined;
  /** Network service: done only while the object has this `revision_number`, else refused as `changed` (412). */
  readonly ifRevision?: number | undefined;
  /** Compute v2.1 (`2.26`) and volume v3 (`3.42`) only. Without one, replies have the shapes of the first. */
  readonly microversion?: string | undefined;
  /**
   * The same where less is as good: a service that does not have it is asked again without one, and what only it shows is then
   * missing from the reply.
   */
  readonly preferred?: string | undefined;
}

/** The call in words for messages and logs: no query, no body. */
export function requestWords({ method, path }: Pick<OpenstackRequest, "method" | "path">): string {
  return `${method} ${path.join("/")}`;
}

export function encodePath(steps: readonly string[]): string {
  return steps.map(encodeURIComponent).join("/");
}

export function encodeQuery(query: Iterable<readonly [string, string]> | undefined): string {
  if (query === undefined) return "";
  const text = new URLSearchParams([...query].map(([key, value]): [string, string] => [key, value])).toString();
  return text === "" ? "" : `?${text}`;
}
