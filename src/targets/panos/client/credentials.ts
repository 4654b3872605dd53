import { PlumblineError } from "../../../core/errors.js";
import { reveal, SecretValue } from "../../../core/secret.js";
import type { ServerOrigin } from "../../../http/transport-errors.js";
import type { PanosDependencies } from "../dependencies.js";
import type { Credentials } from "../settings.js";
import { hideSent } from "./hide-secrets.js";
import { type DeviceReply, descend, deviceMessage, textOf } from "./reply.js";
import type { PanosRequest } from "./request.js";

/**
 * The API key of one device: configured, or generated from user name and password on first use. It is renewed at most once per run, if the
 * device reports that it is invalid. `keys` contains the keys that this process generated before.
 */
export class KeyRing {
  readonly #credentials: Credentials;
  readonly #place: ServerOrigin;
  readonly #keys: PanosDependencies["keys"];
  readonly #exchange: (request: PanosRequest) => Promise<DeviceReply>;
  readonly #user: string;
  #useConfigured: boolean;
  #renewal: Promise<SecretValue> | undefined;

  /** `exchange` sends a request without a key. */
  constructor(
    credentials: Credentials,
    place: ServerOrigin,
    keys: PanosDependencies["keys"],
    exchange: (request: PanosRequest) => Promise<DeviceReply>,
  ) {
    this.#credentials = credentials;
    this.#place = place;
    this.#keys = keys;
    this.#exchange = exchange;
    this.#user = `${place.origin} ${reveal(credentials.username ?? "")}`;
    this.#useConfigured = credentials.apiKey !== undefined;
  }

  current(): Promise<SecretValue> {
    const { apiKey } = this.#credentials;
    if (this.#useConfigured && apiKey !== undefined) return Promise.resolve(apiKey);
    return this.#keys.get(this.#user) ?? this.#make();
  }

  /**
   * Returns another key than `refused`, or undefined if none can be generated. Concurrent requests, and readers and writers, share one
   * renewal.
   */
  async renew(refused: SecretValue): Promise<SecretValue | undefined> {
    const held = await this.current();
    if (held.reveal() !== refused.reveal()) return held;
    if (this.#renewal === undefined) {
      const { username, password } = this.#credentials;
      if (username === undefined || password === undefined) return undefined;
      this.#useConfigured = false;
      this.#renewal = this.#make();
    }
    const renewed = await this.#renewal;
    return renewed.reveal() === refused.reveal() ? undefined : renewed;
  }

  /** A failed generation is forgotten, so that a later request can try again. */
  #make(): Promise<SecretValue> {
    const made = this.#generate().catch((error: unknown) => {
      this.#keys.delete(this.#user);
      this.#renewal = undefined;
      throw error;
    });
    this.#keys.set(this.#user, made);
    return made;
  }

  async #generate(): Promise<SecretValue> {
    const { username, password } = this.#credentials;
    if (username === undefined || password === undefined) {
      throw new PlumblineError("credentials-missing", "there is neither an API key nor a user name with password", {
        where: { target: this.#place.target },
        next: "Give the target credentials: apiKey, or username and password.",
      });
    }
    const reply = await this.#exchange({
      parameters: [
        ["type", "keygen"],
        ["user", reveal(username)],
        ["password", password.reveal()],
      ],
      repeatable: true,
      sensitive: true,
    });
    const key = textOf(descend(reply.result, "key"));
    if (reply.outcome === "done" && key !== "") return new SecretValue(key, "«API key»");
    throw new PlumblineError(
      "login-refused",
      `${this.#place.origin} refused the login of user "${username}": ${deviceMessage(hideSent(reply, [username, password]))}`,
      {
        where: { target: this.#place.target },
        next: "Check user name and password, and that the user's role permits the XML API.",
      },
    );
  }
}

/** Whether the device reports an invalid key. A missing right is a different error. */
export function isInvalidCredential(reply: DeviceReply): boolean {
  return (reply.httpStatus === 403 || reply.code === 403) && reply.lines.some((line) => /invalid credential/i.test(line));
}
