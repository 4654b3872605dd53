import type { SecretValue } from "../../../core/secret.js";

/** Service types in the catalog that the target uses. */
export type ServiceType = "identity" | "network" | "compute" | "image" | "volume";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** A JSON body with typed secrets, which are revealed only when it is sent. Undefined members are omitted. */
export type Body = null | boolean | number | bigint | string | SecretValue | readonly Body[] | { readonly [key: string]: Body | undefined };

/** A request to one service, with its path below the version: `["networks", id]`. */
export interface OpenstackRequest {
  readonly service: ServiceType;
  readonly method: Method;
  /** Steps of the path, not encoded. */
  readonly path: readonly string[];
  readonly query?: Iterable<readonly [string, string]> | undefined;
  readonly body?: { readonly [key: string]: Body | undefined } | undefined;
  /** Network service only: the request succeeds only if the object has this `revision_number`, and otherwise fails as `changed` (412). */
  readonly ifRevision?: number | undefined;
  /** Only for compute v2.1 (`2.26`) and volume v3 (`3.42`). Without it, replies have the format of the first microversion. */
  readonly microversion?: string | undefined;
  /**
   * Optional microversion: if the service does not support it, the request is repeated without it, and the reply lacks the additional data.
   */
  readonly preferred?: string | undefined;
}

/** Describes the request for messages and logs, without query and body. */
export function requestLine({ method, path }: Pick<OpenstackRequest, "method" | "path">): string {
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
