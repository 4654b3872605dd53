/** Requests that a fault holds, until all are released. */
export class HeldRequests<Entry> {
  readonly #held = new Map<Entry, () => void>();

  /** Waits until the request is released. */
  hold(entry: Entry): Promise<void> {
    return new Promise((resolve) => {
      this.#held.set(entry, resolve);
    });
  }

  list(): Entry[] {
    return [...this.#held.keys()];
  }

  /** Lets every held request go on. */
  release(): void {
    for (const release of this.#held.values()) release();
    this.#held.clear();
  }
}
