import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { ServiceReply } from "./reply.js";

/** Sends a reply; resolves to false when the client went away. */
export async function send(response: ServerResponse, { status, contentType, text, headers = {} }: ServiceReply): Promise<boolean> {
  const bytes = Buffer.from(text);
  const hasBody = status !== 204 && status !== 304;
  response.writeHead(status, { ...headers, ...(hasBody ? { "content-type": contentType, "content-length": bytes.length } : {}) });
  response.end(hasBody ? bytes : undefined);
  if (!response.writableFinished && !response.destroyed) await Promise.race([once(response, "finish"), once(response, "close")]);
  return response.writableFinished;
}
