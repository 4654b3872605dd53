import { reveal, type SecretValue } from "../../../core/secret.js";
import type { ContrailAuth } from "./connection.js";

/** Authentication headers. A refused token is renewed once for all requests that used it. */
export class Authorization {
  readonly #auth: ContrailAuth;
  #token: Promise<SecretValue> | undefined;
  #renewal: Promise<SecretValue> | undefined;

  constructor(auth: ContrailAuth) {
    this.#auth = auth;
  }

  async headers(): Promise<Readonly<Record<string, string>>> {
    const auth = this.#auth;
    if (auth.kind === "none") return {};
    if (auth.kind === "basic") {
      return { authorization: `Basic ${Buffer.from(`${reveal(auth.username)}:${auth.password.reveal()}`).toString("base64")}` };
    }
    this.#token ??= forgetOnFailure(auth.source.token(), () => {
      this.#token = undefined;
    });
    return { "x-auth-token": (await this.#token).reveal() };
  }

  /** Whether a retry may succeed after `refused` headers were rejected. */
  async renew(refused: Readonly<Record<string, string>>): Promise<boolean> {
    if (this.#auth.kind !== "token") return false;
    const held = await this.headers();
    if (held["x-auth-token"] !== refused["x-auth-token"]) return true;
    this.#renewal ??= this.#auth.source.renew().finally(() => {
      this.#renewal = undefined;
    });
    const renewed = await this.#renewal;
    this.#token = Promise.resolve(renewed);
    return renewed.reveal() !== refused["x-auth-token"];
  }
}

function forgetOnFailure(promise: Promise<SecretValue>, forget: () => void): Promise<SecretValue> {
  promise.catch(forget);
  return promise;
}
