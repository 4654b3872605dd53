import { createHash, createHmac, randomBytes, scryptSync, timingSafeEqual } from "node:crypto";
import { PlumblineError } from "../../core/errors.js";
import type { SecretValue } from "../../core/secret.js";

export interface SignIn {
  /** Who signed in, as they said: it stands in the history beside what they did. */
  readonly name: string;
  readonly csrf: string;
}

export const SESSION_HOURS = 12;
/** Shorter ones can be guessed. */
const SHORTEST = 16;
const NAME = 40;
const REVOKED = 1000;

/**
 * Sessions that need no memory: the cookie says who and until when, signed with a key made from the token. So agents that
 * share the token share the sessions, and a new token ends them all.
 */
export class Sessions {
  readonly #token: Buffer;
  readonly #key: Buffer;
  readonly #now: () => number;
  readonly #revoked = new Set<string>();

  /** @throws PlumblineError `page-token-short` */
  constructor(token: SecretValue, now: () => number) {
    const text = token.reveal();
    if (text.length < SHORTEST) throw tooShort(token);
    this.#token = digest(text);
    this.#key = scryptSync(text, "plumbline page session", 32);
    this.#now = now;
  }

  /** Whether it is the token; takes the same time whatever is wrong with it. */
  fits(token: string): boolean {
    return timingSafeEqual(digest(token), this.#token);
  }

  /** A new cookie's value. */
  open(name: string): string {
    const until = this.#now() + SESSION_HOURS * 3_600_000;
    const who = Buffer.from(name.trim().slice(0, NAME)).toString("base64url");
    const text = `${until}.${who}.${randomBytes(16).toString("base64url")}`;
    return `${text}.${this.#sign("session", text)}`;
  }

  /** Undefined for one that we did not make, that is over, or was closed. */
  read(cookie: string | undefined): SignIn | undefined {
    const [until = "", who = "", nonce = "", signature = "", ...more] = (cookie ?? "").split(".");
    const text = `${until}.${who}.${nonce}`;
    if (more.length > 0 || !equal(signature, this.#sign("session", text))) return undefined;
    if (Number(until) <= this.#now() || this.#revoked.has(nonce)) return undefined;
    return { name: Buffer.from(who, "base64url").toString(), csrf: this.#sign("csrf", text) };
  }

  close(cookie: string | undefined): void {
    const nonce = cookie?.split(".")[2];
    if (nonce === undefined || this.read(cookie) === undefined) return;
    this.#revoked.add(nonce);
    if (this.#revoked.size > REVOKED) this.#revoked.delete(this.#revoked.values().next().value as string);
  }

  #sign(purpose: "session" | "csrf", text: string): string {
    return createHmac("sha256", this.#key).update(`${purpose} ${text}`).digest("base64url");
  }
}

/** In a time that tells nothing of where two texts differ. */
export function equal(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function tooShort({ label }: SecretValue): PlumblineError {
  return new PlumblineError("page-token-short", `The token of the page (${label}) has fewer than ${SHORTEST} characters.`, {
    next: "Make one with `openssl rand -hex 24`, and put it where agent.page.token or PLUMBLINE_PAGE_TOKEN points to.",
  });
}
