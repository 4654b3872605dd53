import { asPlumblineError } from "../apply/errors.js";
import type { PlumblineError } from "../errors.js";
import type { PassEnd, PassStart, Store } from "../store/store.js";
import type { EventStream } from "./events.js";

/**
 * Writes passes to the store. What the store does not take is told once, and said by `works`: an agent that cannot
 * remember goes on looking, and writes to no target.
 */
export class Recorder {
  readonly #store: Store;
  readonly #events: EventStream;
  #failed = false;

  constructor(store: Store, events: EventStream) {
    this.#store = store;
    this.#events = events;
  }

  get works(): boolean {
    return !this.#failed;
  }

  async start(pass: PassStart): Promise<number | undefined> {
    return await this.write(() => this.#store.passes.start(pass), undefined);
  }

  /** A pass whose start the store did not take is written whole. */
  async finish(id: number | undefined, start: PassStart, end: PassEnd): Promise<void> {
    await this.write(async () => {
      if (id === undefined) await this.#store.passes.record(start, end);
      else await this.#store.passes.finish(id, end);
    }, undefined);
  }

  /** Asks the store; gives `otherwise` where it fails. What can be read says nothing of what can be written. */
  async read<T>(work: (store: Store) => Promise<T>, otherwise: T): Promise<T> {
    try {
      return await work(this.#store);
    } catch (error) {
      await this.#fail(asPlumblineError(error, "store"));
      return otherwise;
    }
  }

  /** Writes to the store; gives `otherwise` where it fails. */
  async write<T>(work: (store: Store) => Promise<T>, otherwise: T): Promise<T> {
    try {
      const result = await work(this.#store);
      if (this.#failed) {
        this.#failed = false;
        await this.#events.tell({ type: "store-recovered" });
      }
      return result;
    } catch (error) {
      await this.#fail(asPlumblineError(error, "store"));
      return otherwise;
    }
  }

  async #fail(error: PlumblineError): Promise<void> {
    if (this.#failed) return;
    this.#failed = true;
    await this.#events.tell({ type: "store-failed", error });
  }
}
