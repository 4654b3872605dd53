import type { Service } from "../options.js";
import type { Json } from "../world/json.js";
import type { Requester } from "../world/requester.js";

/** A request to one service. */
export interface ServiceRequest {
  readonly service: Service;
  readonly method: string;
  /** Decoded parts of the path, without an empty last part. */
  readonly path: readonly string[];
  /** The path as sent. */
  readonly rawPath: string;
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Undefined if the body is not JSON. */
  readonly body: Json | undefined;
  readonly hasBody: boolean;
  /** Start of links: scheme, host and port. */
  readonly linkBase: string;
  readonly requestId: string;
}

/** A request with a valid token. */
export interface AuthenticatedRequest extends ServiceRequest {
  readonly requester: Requester;
}

/** Splits a path: `/v2.0/networks/` is `["v2.0", "networks"]`. */
export function partsOf(path: string): string[] {
  const parts = path.split("/").slice(1).map(decode);
  return parts.at(-1) === "" ? parts.slice(0, -1) : parts;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
