import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/** An HTTP reply. */
export interface Outgoing {
  readonly http: number;
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body: Iterable<string>;
  /** `latin1`: each character of the body is one byte of a binary file. The default is UTF-8. */
  readonly encoding?: "latin1" | undefined;
}

const SENT_AT_ONCE = 1024 * 1024;

/** Splits off the first pieces of a body, until they exceed one megabyte. `rest` is undefined if the body ends earlier. */
export function takeHead(body: Iterable<string>): { readonly head: string; readonly rest: Iterator<string> | undefined } {
  const pieces = body[Symbol.iterator]();
  let head = "";
  for (;;) {
    const { done, value } = pieces.next();
    if (done === true) return { head, rest: undefined };
    head += value;
    if (head.length > SENT_AT_ONCE) return { head, rest: pieces };
  }
}

/** Sends a body that `takeHead` has split. Resolves to false if the client disconnected. */
export async function send(
  response: ServerResponse,
  { http, contentType, headers, encoding }: Outgoing,
  head: string,
  rest: Iterator<string> | undefined,
): Promise<boolean> {
  response.statusCode = http;
  response.setHeader("content-type", contentType);
  for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, value);
  if (rest === undefined) {
    const bytes = Buffer.from(head, encoding);
    response.setHeader("content-length", bytes.length);
    response.end(bytes);
    return finished(response);
  }
  try {
    await pipeline(Readable.from(pieces(head, rest, encoding)), response);
    return true;
  } catch {
    // The client disconnected, so no reply can be sent.
    return false;
  }
}

function* pieces(head: string, rest: Iterator<string>, encoding: Outgoing["encoding"]): Generator<Buffer> {
  yield Buffer.from(head, encoding);
  for (let piece = rest.next(); piece.done !== true; piece = rest.next()) yield Buffer.from(piece.value, encoding);
}

async function finished(response: ServerResponse): Promise<boolean> {
  if (!response.writableFinished && !response.destroyed) await Promise.race([once(response, "finish"), once(response, "close")]);
  return response.writableFinished;
}
