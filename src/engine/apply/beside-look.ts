/**
 * Runs queries while a job is polled. If the job has ended at that poll, the queries need not run afterwards. If the job continues, the
 * replies are out of date, and the queries run again.
 */
export class BesideLook<Answers> {
  readonly #ask: () => Promise<Answers>;
  #asked: Promise<PromiseSettledResult<Answers>> | undefined;

  constructor(ask: () => Promise<Answers>) {
    this.#ask = ask;
  }

  /** Callback for each poll of the job (`AtLook`). Only `answers` reports a failed query; a caller that never calls it sees no error. */
  readonly atLook = (mayEnd: boolean): void => {
    this.#asked = mayEnd ? Promise.allSettled([this.#ask()]).then(([settled]) => settled) : undefined;
  };

  /** Returns the replies from the last poll. Undefined if no query ran then or if one failed. */
  async seen(): Promise<Answers | undefined> {
    const settled = await this.#asked;
    return settled?.status === "fulfilled" ? settled.value : undefined;
  }

  /** Returns the replies from the last poll, or runs the queries now. Rejects if a query fails. */
  async answers(): Promise<Answers> {
    const settled = await this.#asked;
    if (settled === undefined) return await this.#ask();
    if (settled.status === "rejected") throw settled.reason;
    return settled.value;
  }
}
