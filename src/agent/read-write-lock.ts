/** Any number of readers, or one writer; who came first goes first. */
export class ReadWriteLock {
  #tail: Promise<unknown> = Promise.resolve();
  #readers: Promise<unknown>[] = [];

  /** Runs `work` while nobody writes. */
  async read<T>(work: () => Promise<T>): Promise<T> {
    const running = this.#tail.then(work);
    const settled = running.catch(() => undefined);
    this.#readers.push(settled);
    void settled.then(() => {
      this.#readers = this.#readers.filter((each) => each !== settled);
    });
    return await running;
  }

  /** Runs `work` while nobody else does anything. */
  async write<T>(work: () => Promise<T>): Promise<T> {
    const before = [this.#tail, ...this.#readers];
    const running = Promise.all(before).then(work);
    this.#tail = running.catch(() => undefined);
    return await running;
  }
}
