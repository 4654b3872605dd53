import { createHmac, randomBytes } from "node:crypto";
import { equal } from "../constant-time.js";
import type { SignOuts } from "../store/store.js";

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
   * Looks up whether another agent has closed the session. If the store does not answer, only sign-outs that are known already count, so
   * that people can still pause targets. The first call throws then, because none are known yet.
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
    const sealed = JSON.parse(Buffer.from(text, "base64url").toString()) as SessionSaid & Sealed;
    return this.#closed.has(sealed.nonce) ? undefined : { ...sealed, csrf: this.#sign("csrf", text) };
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
