import { createHmac, randomBytes } from "node:crypto";
import { equal } from "../constant-time.js";
import type { SignOuts } from "../store/store.js";

/** Content of the session cookie. */
export interface SessionContent {
  /** Shared token, named token or provider. */
  readonly how: "word" | "token" | "provider";
  readonly name: string;
  /** Permanent identifier of the person at the provider. */
  readonly subject?: string | undefined;
  /** Groups of the provider that are used in rights. */
  readonly groups?: readonly string[] | undefined;
  /** Fingerprint of the token. A changed token ends the session. */
  readonly token?: string | undefined;
}

export interface Session extends SessionContent {
  /** CSRF token. It is required for every request that changes something. */
  readonly csrf: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

interface Sealed {
  readonly until: number;
  readonly nonce: string;
}

/**
 * Sessions are kept in the browser: the cookie contains the person and the end of the session, signed. Agents that share the key share the
 * sessions, and another key ends all of them. The store keeps only sign-outs, so that they survive a restart and count for all agents.
 */
export class Sessions {
  readonly #key: Buffer;
  readonly #now: () => number;
  readonly #store: SignOuts;
  /** Closed sessions, with the time when they would have ended. */
  readonly #closed = new Map<string, number>();
  #loaded: Promise<void> | undefined;

  constructor(key: Buffer, now: () => number, store: SignOuts) {
    this.#key = key;
    this.#now = now;
    this.#store = store;
  }

  /** Returns the cookie of a new session. */
  open(content: SessionContent, milliseconds: number): string {
    const text = this.#seal({ ...content, until: this.#now() + milliseconds, nonce: randomBytes(16).toString("base64url") });
    return `${text}.${this.#sign("session", text)}`;
  }

  /** Returns undefined if the signature is wrong, or if the session has expired or was closed. */
  read(cookie: string | undefined): Session | undefined {
    const known = this.#known(cookie);
    return known === undefined || known.until <= this.#now() ? undefined : known;
  }

  /** Returns a valid session that has expired. */
  lapsed(cookie: string | undefined): Session | undefined {
    const known = this.#known(cookie);
    return known === undefined || known.until > this.#now() ? undefined : known;
  }

  /** Returns a signed value for the browser to send back within that time. It is not a session. */
  give(content: object, milliseconds: number): string {
    const text = this.#seal({ ...content, until: this.#now() + milliseconds });
    return `${text}.${this.#sign("given", text)}`;
  }

  /** Returns undefined if the signature is wrong or the value has expired. */
  taken<T extends object>(given: string | undefined): T | undefined {
    const [text = "", signature = ""] = (given ?? "").split(".");
    if (!equal(signature, this.#sign("given", text))) return undefined;
    const content = JSON.parse(Buffer.from(text, "base64url").toString()) as T & { readonly until: number };
    return content.until <= this.#now() ? undefined : content;
  }

  /**
   * Closes a session in this agent, and in the store for the other agents and for later.
   * @returns false if the store could not record it
   */
  async close(cookie: string | undefined): Promise<boolean> {
    const session = this.#known(cookie);
    if (session === undefined) return true;
    const { nonce, until } = session;
    this.#remember(nonce, until);
    try {
      await this.#store.add({ session: nonce, until }, this.#now());
      return true;
    } catch {
      return false;
    }
  }

  /**
   * Checks whether another agent has closed the session. If the store does not answer, only known sign-outs count, so that users can still
   * pause targets. The first call throws then, because none are known yet.
   */
  async recheck(cookie: string | undefined): Promise<void> {
    const session = this.#known(cookie);
    if (session === undefined) return;
    this.#loaded ??= this.#load();
    try {
      await this.#loaded;
    } catch (error) {
      this.#loaded = undefined;
      throw error;
    }
    const isClosed = await this.#store.has(session.nonce).catch(() => false);
    if (isClosed) this.#remember(session.nonce, session.until);
  }

  async #load(): Promise<void> {
    for (const { session, until } of await this.#store.all(this.#now())) this.#closed.set(session, until);
  }

  #remember(nonce: string, until: number): void {
    const now = this.#now();
    for (const [each, end] of this.#closed) if (end <= now) this.#closed.delete(each);
    this.#closed.set(nonce, until);
  }

  #known(cookie: string | undefined): (Session & Sealed) | undefined {
    const [text = "", signature = "", ...more] = (cookie ?? "").split(".");
    if (more.length > 0 || !equal(signature, this.#sign("session", text))) return undefined;
    const sealed = JSON.parse(Buffer.from(text, "base64url").toString()) as SessionContent & Sealed;
    return this.#closed.has(sealed.nonce) ? undefined : { ...sealed, csrf: this.#sign("csrf", text) };
  }

  /** Returns the keyed hash of a token digest. The token cannot be derived from it. */
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
