import type { Clock } from "../clock.js";
import { invalidCredential } from "../device-messages.js";
import type { Credentials } from "../http/request.js";
import type { Administrator, Administrators } from "./administrators.js";

export interface KeyOptions {
  readonly clock: Clock;
  /** Bytes for new keys. */
  readonly random: (length: number) => Buffer;
  /** Lifetime of a key in milliseconds. If undefined, keys do not expire. */
  readonly lifetime: number | undefined;
  /** Whether a new key revokes the administrator's earlier keys. */
  readonly oneAtATime: boolean;
}

/**
 * API keys of one device. A key is created for a user and password. It ends by expiry, by revocation, or when the account is removed or
 * its password changes.
 */
export class Keys {
  readonly #options: KeyOptions;
  readonly #administrators: Administrators;
  readonly #keys = new Map<string, { readonly name: string; readonly password: string; readonly expires: number }>();

  constructor(administrators: Administrators, options: KeyOptions) {
    this.#administrators = administrators;
    this.#options = options;
  }

  /** Throws 403 `Invalid Credential` if the user or the password is wrong. */
  generate(user: string, password: string): string {
    const administrator = this.#administrators.get(user);
    if (administrator === undefined || administrator.password !== password) throw invalidCredential();
    if (this.#options.oneAtATime) this.revokeAll(user);
    // Uses only characters that need no URL encoding: some clients put the key into a form without encoding it.
    const key = `LUFRPT1${this.#options.random(48).toString("base64url")}`;
    const { lifetime, clock } = this.#options;
    this.#keys.set(key, { name: user, password, expires: lifetime === undefined ? Number.POSITIVE_INFINITY : clock.now() + lifetime });
    return key;
  }

  /** Returns the administrator of the credentials. Throws 403 `Invalid Credential`. */
  authenticate({ key, basic }: Credentials): Administrator {
    if (key !== undefined) return this.#holder(key);
    const administrator = basic === undefined ? undefined : this.#administrators.get(basic.user);
    if (administrator === undefined || administrator.password !== basic?.password) throw invalidCredential();
    return administrator;
  }

  /** Returns the account name of the credentials, even if the key has expired. Only for matching, never for access control. */
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
