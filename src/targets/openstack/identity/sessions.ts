import type { Clock } from "../../../core/clock.js";
import type { Session } from "./session.js";

/** The session of one client: made when it is first needed, renewed before its token ends; one log-in at a time, shared by all who wait. */
export class Sessions {
  readonly #logIn: () => Promise<Session>;
  readonly #clock: Clock;
  #session: Session | undefined;
  #pending: Promise<Session> | undefined;

  constructor(logIn: () => Promise<Session>, clock: Clock) {
    this.#logIn = logIn;
    this.#clock = clock;
  }

  async current(): Promise<Session> {
    if (this.#pending !== undefined) return await this.#pending;
    const held = this.#session;
    const isOver = held?.renewAt !== undefined && this.#clock.now() >= held.renewAt;
    return held === undefined || isOver ? await this.#make() : held;
  }

  /** A session other than `refused`; requests whose token was refused together share one log-in. */
  async renew(refused: Session): Promise<Session> {
    if (this.#pending !== undefined) return await this.#pending;
    return this.#session === undefined || this.#session === refused ? await this.#make() : this.#session;
  }

  #make(): Promise<Session> {
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
