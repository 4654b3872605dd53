import type { Readable } from "node:stream";
import { PlumblineError } from "../core/errors.js";
import type { ServerOrigin } from "./transport-errors.js";

/** Number of bytes of all replies of one server that are being read at the same time. */
export interface BytesInFlight {
  bytes: number;
}

/**
 * Reads a reply of at most `limit` bytes into one Buffer. The replies that are read at the same time with the same `inFlight` have at most
 * `limit` bytes together, so a server cannot use more memory by answering several requests. A reply that announces its length is refused
 * before it is read, or filled in place.
 * @throws PlumblineError `reply-too-large`
 */
export async function readBody(
  body: Readable,
  announced: string | undefined,
  limit: number,
  place: ServerOrigin,
  inFlight: BytesInFlight = { bytes: 0 },
): Promise<Buffer> {
  const length = announced !== undefined && /^\d+$/.test(announced) ? Number(announced) : undefined;
  let own = 0;
  /** Reserves memory for more bytes of the reply. */
  const reserve = (bytes: number): void => {
    if (inFlight.bytes + bytes > limit) {
      body.on("error", () => undefined).destroy();
      throw tooLarge(limit, place);
    }
    own += bytes;
    inFlight.bytes += bytes;
  };
  try {
    return length === undefined ? await collect(body, reserve) : await fill(body, length, reserve);
  } finally {
    inFlight.bytes -= own;
  }
}

async function fill(body: Readable, length: number, reserve: (bytes: number) => void): Promise<Buffer> {
  reserve(length);
  const filled = Buffer.allocUnsafe(length);
  let at = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    if (at + chunk.length > length) reserve(Number.POSITIVE_INFINITY);
    at += chunk.copy(filled, at);
  }
  return at === length ? filled : filled.subarray(0, at);
}

async function collect(body: Readable, reserve: (bytes: number) => void): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of body as AsyncIterable<Buffer>) {
    reserve(chunk.length);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(limit: number, { origin, target }: ServerOrigin): PlumblineError {
  return new PlumblineError("reply-too-large", `${origin} sent more than ${Math.floor(limit / 1_000_000)} MB in a reply`, {
    where: { target },
    next: "Declare smaller subtrees, so that each read is smaller.",
  });
}
