import type { IncomingMessage, ServerResponse } from "node:http";
import { gzip } from "node:zlib";
import { redactUrls } from "../../core/redact-urls.js";

/** Security headers: only the scripts of the page run, no other host is contacted, and no site can frame the page. */
export const SAFETY: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
};

/** Minimum size for compression, in bytes. Shorter texts gain nothing. */
const WORTH_IT = 1_000;

export interface PageReply {
  readonly status: number;
  readonly type: string;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string | string[]>> | undefined;
}

export function jsonReply(value: unknown, status = 200, headers: NonNullable<PageReply["headers"]> = {}): PageReply {
  return {
    status,
    type: "application/json",
    body: redactUrls(JSON.stringify(value)),
    headers: { "cache-control": "no-store", ...headers },
  };
}

/** Returns an error reply with a code and a message. */
export function refusal(status: number, code: string, message: string, headers: Readonly<Record<string, string>> = {}): PageReply {
  return jsonReply({ error: { code, message } }, status, headers);
}

export async function sendReply(request: IncomingMessage, response: ServerResponse, reply: PageReply): Promise<void> {
  const { status, type, headers = {} } = reply;
  const whole = typeof reply.body === "string" ? Buffer.from(reply.body) : reply.body;
  const packed = whole.length >= WORTH_IT && takesGzip(request) ? await compress(whole) : undefined;
  const body = packed ?? whole;
  response.writeHead(status, {
    ...SAFETY,
    ...headers,
    "content-type": type.startsWith("text/") ? `${type}; charset=utf-8` : type,
    "content-length": body.length,
    vary: "accept-encoding",
    ...(packed === undefined ? {} : { "content-encoding": "gzip" }),
  });
  response.end(request.method === "HEAD" ? undefined : body);
}

function takesGzip(request: IncomingMessage): boolean {
  return /\bgzip\b/.test(String(request.headers["accept-encoding"] ?? ""));
}

function compress(body: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    gzip(body, { level: 4 }, (error, packed) => (error === null ? resolve(packed) : reject(error)));
  });
}
