import type { IncomingMessage } from "node:http";
import type { Client, Proxies } from "./client.js";

/** One HTTP request, with its client. */
export interface ClientRequest {
  /** Path as sent, without the query. Never empty. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly client: Client;
  /** Host name in the request line, as in a request to a proxy. */
  readonly authority: string | undefined;
}

/** Splits the request URL as text. A URL parser would reject some paths. */
export function clientRequest(request: IncomingMessage, proxies: Proxies): ClientRequest {
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
