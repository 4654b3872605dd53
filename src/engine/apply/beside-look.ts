/**
 * Questions that are asked beside a look at a job, since what is answered with the job's verdict need not be asked after it. Where the job
 * went on after that look, the answers are old, and asked for anew.
 */
export class BesideLook<Answers> {
  readonly #ask: () => Promise<Answers>;
  #asked: Promise<PromiseSettledResult<Answers>> | undefined;

  constructor(ask: () => Promise<Answers>) {
    this.#ask = ask;
  }

  /** `AtLook` of the job. What fails is said by `answers`, and by nothing where nobody calls that. */
  readonly atLook = (mayEnd: boolean): void => {
    this.#asked = mayEnd ? Promise.allSettled([this.#ask()]).then(([settled]) => settled) : undefined;
  };

  /** Of the last look; undefined where it did not ask, or something could not be answered. */
  async seen(): Promise<Answers | undefined> {
    const settled = await this.#asked;
    return settled?.status === "fulfilled" ? settled.value : undefined;
  }

  /** Of the last look, or of now. Rejects as the questions do. */
  async answers(): Promise<Answers> {
    const settled = await this.#asked;
    if (settled === undefined) return await this.#ask();
    if (settled.status === "rejected") throw settled.reason;
    return settled.value;
  }
}
