import type { IncomingMessage } from "node:http";
import type { ApiRequest, Credentials } from "./request.js";

/** Returns the bytes of a body, or undefined if the body is larger than `maxBytes`. */
export async function readBody(incoming: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
  }
  return bytes > maxBytes ? undefined : Buffer.concat(chunks);
}

/** Parses the call of an HTTP request. Parameters come from the query, a form or a multipart body; later values win. */
export function parseRequest(incoming: IncomingMessage, url: URL, body: Buffer): ApiRequest {
  const params = new Map<string, string>(url.searchParams);
  const contentType = incoming.headers["content-type"] ?? "";
  let upload: ApiRequest["upload"];
  if (contentType.includes("multipart/form-data")) upload = readMultipart(contentType, body, params);
  else if (body.length > 0) for (const [name, value] of new URLSearchParams(body.toString("utf8"))) params.set(name, value);
  const credentials = credentialsOf(incoming, params);
  params.delete("key");
  params.delete("password");
  return { method: incoming.method ?? "GET", params, credentials, upload, bytes: url.search.length + body.length };
}

function credentialsOf(incoming: IncomingMessage, params: ReadonlyMap<string, string>): Credentials {
  const header = incoming.headers["x-pan-key"];
  const [scheme, encoded = ""] = (incoming.headers.authorization ?? "").split(" ");
  const [user = "", ...rest] = scheme?.toLowerCase() === "basic" ? Buffer.from(encoded, "base64").toString("utf8").split(":") : [];
  return {
    key: params.get("key") ?? (typeof header === "string" ? header : undefined),
    basic: user === "" ? undefined : { user, password: rest.join(":") },
    password: params.get("password"),
  };
}

/** Writes the fields to `params` and returns the first file. */
function readMultipart(contentType: string, body: Buffer, params: Map<string, string>): ApiRequest["upload"] {
  const boundary = /boundary="?([^";]+)"?/.exec(contentType)?.[1];
  let upload: ApiRequest["upload"];
  if (boundary === undefined) return undefined;
  for (const part of body.toString("utf8").split(`--${boundary}`).slice(1, -1)) {
    const end = part.indexOf("\r\n\r\n");
    if (end < 0) continue;
    const head = part.slice(0, end);
    const content = part.slice(end + 4).replace(/\r\n$/, "");
    const name = /[; ]name="?([^";\r\n]+)"?/i.exec(head)?.[1] ?? "";
    const file = /filename="?([^";\r\n]+)"?/i.exec(head)?.[1];
    if (file === undefined) params.set(name, content);
    else upload ??= { name: file, content };
  }
  return upload;
}
