import type { ServerResponse } from "node:http";
import type { ContrailReply } from "./reply.js";

/** Sends a response. Resolves to whether the client received it completely. */
export function send(response: ServerResponse, { status, headers, text }: ContrailReply): Promise<boolean> {
  return new Promise((resolve) => {
    response.once("close", () => resolve(response.writableFinished));
    response.writeHead(status, { ...headers, ...(status === 304 ? {} : { "content-length": Buffer.byteLength(text) }) });
    response.end(text);
  });
}
