import type { Readable } from "node:stream";
import { PlumblineError } from "../core/errors.js";
import type { ServerOrigin } from "./transport-errors.js";

/**
 * Takes in a reply of at most `limit` bytes, as one Buffer. Where its length was announced it is filled in place, so
 * that a 50 MB configuration is held once.
 */
export async function readBody(body: Readable, announced: string | undefined, limit: number, place: ServerOrigin): Promise<Buffer> {
  const length = announced !== undefined && /^\d+$/.test(announced) ? Number(announced) : undefined;
  if (length !== undefined && length > limit) throw tooLarge(body, limit, place);
  return length === undefined ? collect(body, limit, place) : fill(body, length, limit, place);
}

async function fill(body: Readable, length: number, limit: number, place: ServerOrigin): Promise<Buffer> {
  const whole = Buffer.allocUnsafe(length);
  let at = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    if (at + chunk.length > length) throw tooLarge(body, limit, place);
    at += chunk.copy(whole, at);
  }
  return at === length ? whole : whole.subarray(0, at);
}

async function collect(body: Readable, limit: number, place: ServerOrigin): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) throw tooLarge(body, limit, place);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

function tooLarge(body: Readable, limit: number, place: ServerOrigin): PlumblineError {
  body.on("error", () => undefined).destroy();
  return new PlumblineError("reply-too-large", `${place.origin} sent a reply of more than ${Math.floor(limit / 1_000_000)} MB`, {
    where: { target: place.target },
    next: "Own smaller subtrees, so that less is read at once.",
  });
}
