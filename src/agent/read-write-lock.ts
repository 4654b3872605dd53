/** Lock for any number of readers or one writer, in the order of the calls. */
export class ReadWriteLock {
  #tail: Promise<unknown> = Promise.resolve();
  #readers: Promise<unknown>[] = [];

  /** Runs `work` when no writer is active. */
  async read<T>(work: () => Promise<T>): Promise<T> {
    const running = this.#tail.then(work);
    const settled = running.catch(() => undefined);
    this.#readers.push(settled);
    void settled.then(() => {
      this.#readers = this.#readers.filter((each) => each !== settled);
    });
    return await running;
  }

  /** Runs `work` exclusively. */
  async write<T>(work: () => Promise<T>): Promise<T> {
    const before = [this.#tail, ...this.#readers];
    const running = Promise.all(before).then(work);
    this.#tail = running.catch(() => undefined);
    return await running;
  }
}
