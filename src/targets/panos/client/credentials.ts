import type { Credentials } from "../../../desired/configuration.js";
import { PlumblineError } from "../../../errors.js";
import { descend, deviceWords, type Reply, succeeded, textOf } from "./reply.js";
import type { PanosRequest } from "./request.js";
import type { Place } from "./transport-errors.js";

/**
 * The API key of one device: configured, or made from user name and password when first needed, and made again at most
 * once a run, when the device says that it is invalid. The key stays inside; callers get it to put on the wire.
 */
export class KeyRing {
  readonly #credentials: Credentials;
  readonly #place: Place;
  readonly #exchange: (request: PanosRequest) => Promise<Reply>;
  #key: Promise<string> | undefined;
  #renewed = false;

  /** `exchange` sends a request without a key. */
  constructor(credentials: Credentials, place: Place, exchange: (request: PanosRequest) => Promise<Reply>) {
    this.#credentials = credentials;
    this.#place = place;
    this.#exchange = exchange;
  }

  current(): Promise<string> {
    this.#key ??= this.#credentials.apiKey === undefined ? this.#generate() : Promise.resolve(this.#credentials.apiKey.reveal());
    return this.#key;
  }

  /**
   * A key that is not `refused`, or undefined when there is no way to one any more. Requests that were refused
   * together share one generation.
   */
  async renew(refused: string): Promise<string | undefined> {
    const held = await this.current();
    if (held !== refused) return held;
    if (this.#renewed || this.#credentials.password === undefined || this.#credentials.username === undefined) return undefined;
    this.#renewed = true;
    this.#key = this.#generate().catch((error: unknown) => {
      this.#renewed = false;
      this.#key = Promise.resolve(refused);
      throw error;
    });
    return this.#key;
  }

  async #generate(): Promise<string> {
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
        ["user", username],
        ["password", password.reveal()],
      ],
      repeatable: true,
      sensitive: true,
    });
    const key = textOf(descend(reply.result, "key"));
    if (succeeded(reply) && key !== "") return key;
    throw new PlumblineError("login-refused", `${this.#place.origin} made no API key for user "${username}": ${deviceWords(reply)}`, {
      where: { target: this.#place.target },
      next: "Check user name and password, and that the user's role permits the XML API.",
    });
  }
}

/** True when the device says that the key itself is no good; a missing right is another matter. */
export function saysInvalidCredential(reply: Reply): boolean {
  return (reply.httpStatus === 403 || reply.code === 403) && reply.lines.some((line) => /invalid credential/i.test(line));
}
