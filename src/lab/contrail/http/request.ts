import type { IncomingMessage } from "node:http";

/** A request as it arrived. */
export interface ContrailRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Path with query, as sent. */
  readonly url: string;
  /** The server's address as the client used it. URLs in responses start with it. */
  readonly base: string;
  readonly token: string | undefined;
  readonly ifNoneMatch: string | undefined;
  readonly contentType: string;
  readonly body: string;
}

/** Reads a request. Returns undefined if its body is larger than `maxBytes`. */
export async function readRequest(incoming: IncomingMessage, maxBytes: number): Promise<ContrailRequest | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
  }
  if (bytes > maxBytes) return undefined;
  const url = incoming.url ?? "/";
  const [path = "/", ...query] = url.split("?");
  return {
    method: incoming.method ?? "GET",
    path,
    query: new URLSearchParams(query.join("?")),
    url,
    base: baseOf(incoming),
    token: headerOf(incoming, "x-auth-token"),
    ifNoneMatch: headerOf(incoming, "if-none-match"),
    contentType: headerOf(incoming, "content-type") ?? "",
    body: Buffer.concat(chunks).toString("utf8"),
  };
}

export function baseOf(incoming: IncomingMessage): string {
  return `http://${incoming.headers.host ?? "localhost"}`;
}

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value : undefined;
}
