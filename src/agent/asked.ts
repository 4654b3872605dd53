import type { IncomingMessage } from "node:http";
import type { Client, Proxies } from "./client.js";

/** One request: what it is for, and whose it is. */
export interface Asked {
  /** As it was sent, up to a `?`; never empty. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly client: Client;
  /** A name that the request line itself gives, as to a proxy. */
  readonly authority: string | undefined;
}

/** Any text is some path: rules of addresses that a text can break are not asked. */
export function askedBy(request: IncomingMessage, proxies: Proxies): Asked {
  const [, authority, rest = request.url ?? ""] = /^https?:\/\/([^/?#]*)(.*)$/is.exec(request.url ?? "") ?? [];
  const at = rest.indexOf("?");
  const path = at === -1 ? rest : rest.slice(0, at);
  return {
    path: path === "" ? "/" : path,
    query: new URLSearchParams(at === -1 ? "" : rest.slice(at + 1)),
    client: proxies.clientOf(request),
    authority,
  };
}
