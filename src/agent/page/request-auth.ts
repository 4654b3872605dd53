import type { IncomingMessage } from "node:http";
import type { Client } from "../client.js";

const COOKIE = "plumbline_session";
/** Cookie of a browser during the sign-in at the provider. */
const AWAY = "plumbline_sign_in";
/** Browsers accept a cookie of this name only over TLS from this host, so no other host of the domain can set it. */
const HOST_ONLY = "__Host-";
/** Maximum size of a request body. */
const LONGEST = 10_000;

export function cookieOf(request: IncomingMessage, client: Client): string | undefined {
  return namedCookie(request, client, COOKIE);
}

export function awayCookieOf(request: IncomingMessage, client: Client): string | undefined {
  return namedCookie(request, client, AWAY);
}

/**
 * Returns the cookie with either name if the request is not known to be encrypted. Behind an untrusted proxy only some requests show that
 * they are.
 */
function namedCookie(request: IncomingMessage, { isEncrypted }: Client, name: string): string | undefined {
  const secure = cookieValue(request, `${HOST_ONLY}${name}`);
  return secure !== undefined || isEncrypted ? secure : cookieValue(request, name);
}

function cookieValue(request: IncomingMessage, name: string): string | undefined {
  for (const part of String(request.headers.cookie ?? "").split(";")) {
    const at = part.indexOf("=");
    if (part.slice(0, at).trim() === name) return part.slice(at + 1).trim();
  }
  return undefined;
}

/** Returns the header that sets the cookie for that number of seconds. */
export function awayCookie(value: string, seconds: number, client: Client): string {
  return cookieHeader(AWAY, value, `Max-Age=${seconds}; HttpOnly; SameSite=Lax`, client);
}

function cookieHeader(name: string, value: string, attributes: string, { isEncrypted }: Client): string {
  const cookie = `${name}=${value}; Path=/; ${attributes}`;
  return isEncrypted ? `${HOST_ONLY}${cookie}; Secure` : cookie;
}

/** Returns the bearer token of a request by a program. */
export function bearerOf({ headers }: IncomingMessage): string | undefined {
  return /^Bearer +(\S+)$/i.exec(String(headers.authorization ?? ""))?.[1];
}

/** Lifetime of the cookie in the browser. The agent decides separately whether the session is valid. */
const KEPT_HOURS = 12;

/** The header that sets the cookie of the session, or deletes it if `value` is empty. */
export function sessionCookie(value: string, client: Client): string {
  const age = value === "" ? 0 : KEPT_HOURS * 3600;
  return cookieHeader(COOKIE, value, `Max-Age=${age}; HttpOnly; SameSite=Strict`, client);
}

/**
 * Checks that a request comes from the page. Browsers send the origin. Other clients may omit it, because they have no cookie of another
 * user.
 */
export function isFromHere({ headers }: IncomingMessage, { host }: Client): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin") return false;
  if (headers.origin === undefined) return true;
  return URL.canParse(headers.origin) && new URL(headers.origin).host === host;
}

/** Reads a JSON object. Returns undefined for anything else. */
export async function readJsonBody(request: IncomingMessage): Promise<Readonly<Record<string, unknown>> | undefined> {
  if (!/^application\/json\b/.test(String(request.headers["content-type"] ?? ""))) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LONGEST) return undefined;
    chunks.push(chunk);
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
