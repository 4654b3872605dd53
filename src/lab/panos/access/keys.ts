import type { Clock } from "../clock.js";
import type { Credentials } from "../http/request.js";
import { invalidCredential } from "../texts.js";
import type { Administrator, Administrators } from "./administrators.js";

export interface KeyOptions {
  readonly clock: Clock;
  /** Bytes for new keys. */
  readonly random: (length: number) => Buffer;
  /** How long a key is good; undefined for as long as the device runs. */
  readonly lifetime: number | undefined;
  /** Whether a new key ends the administrator's former ones. */
  readonly oneAtATime: boolean;
}

/** API keys of one device: made for a user and password, ended by time, revocation or a changed account. */
export class Keys {
  readonly #options: KeyOptions;
  readonly #administrators: Administrators;
  readonly #keys = new Map<string, { readonly name: string; readonly password: string; readonly expires: number }>();

  constructor(administrators: Administrators, options: KeyOptions) {
    this.#administrators = administrators;
    this.#options = options;
  }

  /** Throws 403 `Invalid Credential`. */
  generate(user: string, password: string): string {
    const administrator = this.#administrators.get(user);
    if (administrator === undefined || administrator.password !== password) throw invalidCredential();
    if (this.#options.oneAtATime) this.revokeAll(user);
    // Only characters that need no encoding: some clients put the key into a form as it is.
    const key = `LUFRPT1${this.#options.random(48).toString("base64url")}`;
    const { lifetime, clock } = this.#options;
    this.#keys.set(key, { name: user, password, expires: lifetime === undefined ? Number.POSITIVE_INFINITY : clock.now() + lifetime });
    return key;
  }

  /** The administrator that credentials stand for. Throws 403 `Invalid Credential`. */
  authenticate({ key, basic }: Credentials): Administrator {
    if (key !== undefined) return this.#holder(key);
    const administrator = basic === undefined ? undefined : this.#administrators.get(basic.user);
    if (administrator === undefined || administrator.password !== basic?.password) throw invalidCredential();
    return administrator;
  }

  /** The name behind credentials, good or not any more; for matching, never for access. */
  nameOf({ key, basic }: Credentials): string | undefined {
    return key === undefined ? basic?.user : this.#keys.get(key)?.name;
  }

  revoke(key: string): void {
    this.#keys.delete(key);
  }

  revokeAll(user: string): void {
    for (const [key, { name }] of this.#keys) if (name === user) this.#keys.delete(key);
  }

  #holder(key: string): Administrator {
    const held = this.#keys.get(key);
    const administrator = held === undefined ? undefined : this.#administrators.get(held.name);
    const good = held !== undefined && administrator?.password === held.password && this.#options.clock.now() < held.expires;
    if (!good || administrator === undefined) throw invalidCredential();
    return administrator;
  }
}
