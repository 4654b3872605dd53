import type { Clock } from "../../../core/clock.js";
import type { CloudSession } from "./cloud-session.js";

/** The session of one client. The first request logs in, and the token is renewed before it expires. Concurrent callers share one login. */
export class Sessions {
  readonly #logIn: () => Promise<CloudSession>;
  readonly #clock: Clock;
  #session: CloudSession | undefined;
  #pending: Promise<CloudSession> | undefined;

  constructor(logIn: () => Promise<CloudSession>, clock: Clock) {
    this.#logIn = logIn;
    this.#clock = clock;
  }

  async current(): Promise<CloudSession> {
    if (this.#pending !== undefined) return await this.#pending;
    const held = this.#session;
    const isOver = held?.renewAt !== undefined && this.#clock.now() >= held.renewAt;
    return held === undefined || isOver ? await this.#make() : held;
  }

  /** Returns another session than `refused`. Concurrent requests with the same refused token share one login. */
  async renew(refused: CloudSession): Promise<CloudSession> {
    if (this.#pending !== undefined) return await this.#pending;
    return this.#session === undefined || this.#session === refused ? await this.#make() : this.#session;
  }

  #make(): Promise<CloudSession> {
    this.#pending = this.#logIn()
      .then((session) => {
        this.#session = session;
        return session;
      })
      .finally(() => {
        this.#pending = undefined;
      });
    return this.#pending;
  }
}
