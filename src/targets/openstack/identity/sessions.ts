import type { Clock } from "../../../core/clock.js";
import type { CloudSession } from "./cloud-session.js";

/** The session of one client: made when it is first needed, renewed before its token ends; one log-in at a time, shared by all who wait. */
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

  /** A session other than `refused`; requests whose token was refused together share one log-in. */
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
