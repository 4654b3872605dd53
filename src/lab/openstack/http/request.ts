import type { Service } from "../options.js";
import type { Json } from "../world/json.js";
import type { Requester } from "../world/requester.js";

/** One call on one service. */
export interface ServiceRequest {
  readonly service: Service;
  readonly method: string;
  /** Parts of the path, decoded, with no empty one at the end. */
  readonly path: readonly string[];
  /** The path as it was sent. */
  readonly rawPath: string;
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Undefined where the body is no JSON. */
  readonly body: Json | undefined;
  readonly hasBody: boolean;
  /** What links begin with: scheme, host and port. */
  readonly linkBase: string;
  readonly requestId: string;
}

/** A call by somebody who was authenticated. */
export interface AuthenticatedRequest extends ServiceRequest {
  readonly requester: Requester;
}

/** Parts of a path: `/v2.0/networks/` is `["v2.0", "networks"]`. */
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
