import { createHmac, randomBytes } from "node:crypto";
import { equal } from "../constant-time.js";

/** What a session's cookie says of who has it. */
export interface SessionSaid {
  /** Of the one token, of a named one, of the provider. */
  readonly how: "word" | "token" | "provider";
  readonly name: string;
  /** What the provider knows the person by, for good. */
  readonly subject?: string | undefined;
  /** Those of the provider's groups that some right names. */
  readonly groups?: readonly string[] | undefined;
  /** A fingerprint of the token that it was opened with: another one ends it. */
  readonly token?: string | undefined;
}

export interface Session extends SessionSaid {
  /** Goes with every request that changes something. */
  readonly csrf: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

interface Sealed {
  readonly until: number;
  readonly nonce: string;
}

const REVOKED = 10_000;

/**
 * Sessions that need no memory: the cookie says who and until when, signed. So agents that share the key share the sessions, one that
 * cannot write its store lets people in all the same, and another key ends them all. Only what was closed is remembered.
 */
export class Sessions {
  readonly #key: Buffer;
  readonly #now: () => number;
  readonly #revoked = new Set<string>();

  constructor(key: Buffer, now: () => number) {
    this.#key = key;
    this.#now = now;
  }

  /** A new cookie's value, of a session that was never before. */
  open(said: SessionSaid, milliseconds: number): string {
    const text = this.#seal({ ...said, until: this.#now() + milliseconds, nonce: randomBytes(16).toString("base64url") });
    return `${text}.${this.#sign("session", text)}`;
  }

  /** Undefined for one that we did not make, that is over, or was closed. */
  read(cookie: string | undefined): Session | undefined {
    const known = this.#known(cookie);
    return known === undefined || known.until <= this.#now() ? undefined : known;
  }

  /** One of ours that is over by time alone. */
  lapsed(cookie: string | undefined): Session | undefined {
    const known = this.#known(cookie);
    return known === undefined || known.until > this.#now() ? undefined : known;
  }

  /** What a browser is to bring back as it is, within that time; it is no session. */
  give(content: object, milliseconds: number): string {
    const text = this.#seal({ ...content, until: this.#now() + milliseconds });
    return `${text}.${this.#sign("given", text)}`;
  }

  /** Undefined for what we did not give, or too long ago. */
  taken<T extends object>(given: string | undefined): T | undefined {
    const [text = "", signature = ""] = (given ?? "").split(".");
    if (!equal(signature, this.#sign("given", text))) return undefined;
    const content = JSON.parse(Buffer.from(text, "base64url").toString()) as T & { readonly until: number };
    return content.until <= this.#now() ? undefined : content;
  }

  close(cookie: string | undefined): void {
    const nonce = this.#known(cookie)?.nonce;
    if (nonce === undefined) return;
    this.#revoked.add(nonce);
    if (this.#revoked.size > REVOKED) this.#revoked.delete(this.#revoked.values().next().value as string);
  }

  #known(cookie: string | undefined): (Session & Sealed) | undefined {
    const [text = "", signature = "", ...more] = (cookie ?? "").split(".");
    if (more.length > 0 || !equal(signature, this.#sign("session", text))) return undefined;
    const sealed = JSON.parse(Buffer.from(text, "base64url").toString()) as SessionSaid & Sealed;
    return this.#revoked.has(sealed.nonce) ? undefined : { ...sealed, csrf: this.#sign("csrf", text) };
  }

  /** The same for the same token under the same key, and no way back to it. */
  fingerprint(tokenDigest: Buffer): string {
    return this.#sign("token", tokenDigest.toString("hex"));
  }

  #seal(content: object): string {
    return Buffer.from(JSON.stringify(content)).toString("base64url");
  }

  #sign(purpose: "session" | "csrf" | "token" | "given", text: string): string {
    return createHmac("sha256", this.#key).update(`${purpose} ${text}`).digest("base64url");
  }
}
