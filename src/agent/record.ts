import { PlumblineError } from "../core/errors.js";
import { asPlumblineError } from "../engine/apply/errors.js";
import type { EventStream } from "./events.js";
import type { PassEnd, PassStart, Store } from "./store/store.js";

/** More than a day of a few targets; the oldest go first. */
const MOST_WAITING = 2000;

/** The store is full, busy or gone, and may come back. */
function isAway(error: unknown): boolean {
  return error instanceof PlumblineError && error.code.startsWith("store-");
}

/**
 * Writes passes to the store. What the store does not take is told once, and said by `works`: an agent that cannot
 * remember goes on looking, and writes to no target.
 */
export class Recorder {
  readonly #store: Store;
  readonly #events: EventStream;
  #failed = false;
  /** What the store has not taken yet, in order. */
  #waiting: ((store: Store) => Promise<unknown>)[] = [];
  #catchingUp = false;

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
    await this.keep(async ({ passes }) => {
      if (id === undefined) await passes.record(start, end);
      else await passes.finish(id, end);
    });
  }

  /** Writes what must be remembered: what the store does not take now it gets once it works again. */
  async keep(work: (store: Store) => Promise<unknown>): Promise<void> {
    const isTaken = this.#waiting.length === 0 && (await this.write(async (store) => [await work(store)], undefined)) !== undefined;
    if (isTaken) return;
    if (this.#waiting.length === MOST_WAITING) this.#waiting.shift();
    this.#waiting.push(work);
    await this.#catchUp();
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
      await this.#taken();
      await this.#catchUp();
      return result;
    } catch (error) {
      await this.#fail(asPlumblineError(error, "store"));
      return otherwise;
    }
  }

  async #taken(): Promise<void> {
    if (!this.#failed) return;
    this.#failed = false;
    await this.#events.tell({ type: "store-recovered" });
  }

  async #catchUp(): Promise<void> {
    if (this.#catchingUp) return;
    this.#catchingUp = true;
    try {
      for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
        await next(this.#store);
        this.#waiting.shift();
        await this.#taken();
      }
    } catch (error) {
      await this.#fail(asPlumblineError(error, "store"));
      // What no store would take must not stand before what it would.
      if (!isAway(error)) this.#waiting.shift();
    } finally {
      this.#catchingUp = false;
    }
  }

  async #fail(error: PlumblineError): Promise<void> {
    if (this.#failed) return;
    this.#failed = true;
    await this.#events.tell({ type: "store-failed", error });
  }
}
