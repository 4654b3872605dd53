import type { IncomingMessage } from "node:http";
import type { Client } from "../client.js";

const COOKIE = "plumbline_session";
const LONGEST = 10_000;

export function cookieOf(request: IncomingMessage, name = COOKIE): string | undefined {
  for (const part of String(request.headers.cookie ?? "").split(";")) {
    const at = part.indexOf("=");
    if (part.slice(0, at).trim() === name) return part.slice(at + 1).trim();
  }
  return undefined;
}

/** Of a browser that is away at the provider; sent along when that sends it back. */
const AWAY = "plumbline_sign_in";

export function awayCookieOf(request: IncomingMessage): string | undefined {
  return cookieOf(request, AWAY);
}

/** The header that sets it, for so many seconds. */
export function awayCookie(value: string, seconds: number, { isEncrypted }: Client): string {
  return `${AWAY}=${value}; Path=/login; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isEncrypted ? "; Secure" : ""}`;
}

/** The token that a program sends with each request. */
export function bearerOf({ headers }: IncomingMessage): string | undefined {
  return /^Bearer +(\S+)$/i.exec(String(headers.authorization ?? ""))?.[1];
}

/** Browsers keep the cookie for so long; whether the session still holds is not up to them. */
const KEPT_HOURS = 12;

/** The header that sets the cookie, or takes it away where `value` is empty. */
export function sessionCookie(value: string, { isEncrypted }: Client): string {
  const age = value === "" ? 0 : KEPT_HOURS * 3600;
  const secure = isEncrypted ? "; Secure" : "";
  return `${COOKIE}=${value}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Strict${secure}`;
}

/** Browsers say where a request comes from; what is not a browser need not, and has no cookie that it was not given. */
export function isFromHere({ headers }: IncomingMessage, { host }: Client): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin") return false;
  if (headers.origin === undefined) return true;
  return URL.canParse(headers.origin) && new URL(headers.origin).host === host;
}

/** An object of JSON; undefined for anything else. */
export async function readAsked(request: IncomingMessage): Promise<Readonly<Record<string, unknown>> | undefined> {
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
