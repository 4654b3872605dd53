import type { Readable } from "node:stream";
import { PlumblineError } from "../core/errors.js";
import type { ServerOrigin } from "./transport-errors.js";

/**
 * Reads a reply of at most `limit` bytes into one Buffer. A reply that announces its length is filled in place, so that a
 * 50 MB configuration is in memory once.
 * @throws PlumblineError `reply-too-large`
 */
export async function readBody(body: Readable, announced: string | undefined, limit: number, place: ServerOrigin): Promise<Buffer> {
  const tooLarge = (): PlumblineError => {
    body.on("error", () => undefined).destroy();
    return new PlumblineError("reply-too-large", `${place.origin} sent a reply of more than ${Math.floor(limit / 1_000_000)} MB`, {
      where: { target: place.target },
      next: "Own smaller subtrees, so that less is read at once.",
    });
  };
  const length = announced !== undefined && /^\d+$/.test(announced) ? Number(announced) : undefined;
  if (length !== undefined && length > limit) throw tooLarge();
  return length === undefined ? collect(body, limit, tooLarge) : fill(body, length, tooLarge);
}

async function fill(body: Readable, length: number, tooLarge: () => PlumblineError): Promise<Buffer> {
  const filled = Buffer.allocUnsafe(length);
  let at = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    if (at + chunk.length > length) throw tooLarge();
    at += chunk.copy(filled, at);
  }
  return at === length ? filled : filled.subarray(0, at);
}

async function collect(body: Readable, limit: number, tooLarge: () => PlumblineError): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}
